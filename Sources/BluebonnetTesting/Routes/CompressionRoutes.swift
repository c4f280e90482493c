// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension BuiltInRoutes {
    static let compressionRoutes: [BuiltInRoute] = [
        BuiltInRoute("/gzip?bytes=N", "a JSON document in gzip; with bytes, N zeros instead, 16 MiB at most") {
            Self.compressed($0, coding: "gzip") { Compression.gzip($0) }
        },
        BuiltInRoute("/deflate?bytes=N", "the same in zlib's format, which HTTP calls deflate") {
            Self.compressed($0, coding: "deflate") { Compression.zlib($0) }
        },
    ]

    private static func compressed(
        _ request: ReceivedRequest,
        coding: String,
        _ compress: ([UInt8]) -> [UInt8]
    ) -> OutgoingResponse {
        var plain = Array(
            (JSONOutput.object([("coding", .string(coding)), ("compressed", .bool(true))]).text + "\n").utf8
        )
        var type = "application/json"
        if let text = request.target["bytes"] {
            guard let count = Int(text), (0...16 * 1024 * 1024).contains(count) else {
                return .error(400, "the number of bytes must be from 0 to 16 MiB")
            }
            plain = [UInt8](repeating: 0, count: count)
            type = "application/octet-stream"
        }
        return OutgoingResponse(
            headers: [("Content-Type", type), ("Content-Encoding", coding), ("Vary", "Accept-Encoding")],
            body: BodySource(ByteBuffer(bytes: compress(plain)))
        )
    }
}
