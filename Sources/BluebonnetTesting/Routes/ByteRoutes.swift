// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

extension BuiltInRoutes {
    static let byteRoutes: [BuiltInRoute] = [
        BuiltInRoute(
            "/bytes/N",
            "N pattern bytes, with ETag, Last-Modified, Range and conditions; ?etag=TEXT for another tag"
        ) {
            Self.bytes($0)
        },
        BuiltInRoute("/stream-bytes/N?chunk=N", "N pattern bytes without a length, in chunks (RFC 9112 section 7.1)") {
            request in
            guard let count = Self.byteCount(request.target.segments[1]),
                let chunk = Int(request.target["chunk"] ?? "16384"), chunk > 0
            else { return .error(400, "the number of bytes must not be negative") }
            var response = OutgoingResponse(
                headers: [("Content-Type", "application/octet-stream")],
                body: BodySource(pattern: 0..<count)
            )
            response.framing = .chunked(byteCount: chunk)
            return response
        },
    ]

    /// 1 March 2024, 12:00:00 GMT.
    private static let modified: Int64 = 1_709_294_400

    private static func byteCount(_ text: String) -> Int64? {
        Int64(text).flatMap { $0 >= 0 ? $0 : nil }
    }

    private static func bytes(_ request: ReceivedRequest) -> OutgoingResponse {
        guard let count = self.byteCount(request.target.segments[1]) else {
            return .error(400, "the number of bytes must be a number from 0")
        }
        guard ["GET", "HEAD"].contains(request.method) else {
            var response = OutgoingResponse.error(405, "only GET and HEAD are allowed here")
            response.headers.append(("Allow", "GET, HEAD"))
            return response
        }
        let name = request.target["etag"] ?? "bytes-\(count)"
        let tag = "\"\(name)\""
        guard self.isFieldValue(name), !name.utf8.contains(UInt8(ascii: "\"")) else {
            return .error(400, "this cannot be an entity tag")
        }
        let representation = SelectedRepresentation(byteCount: count, entityTag: tag, modified: self.modified)
        let headers = request.head.headers
        let selection = representation.selection(method: request.method, now: self.modified) { headers[$0] }
        return OutgoingResponse(
            status: selection.status,
            headers: [("Content-Type", "application/octet-stream")] + representation.fields(of: selection),
            body: BodySource(pattern: selection.range(in: count))
        )
    }
}
