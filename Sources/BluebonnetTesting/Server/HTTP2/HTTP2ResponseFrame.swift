// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// An HTTP/2 response, as frames of its stream (RFC 9113 section 8.1).
struct HTTP2ResponseFrame: ResponseFraming {
    let speaksHTTP2 = true
    let hasBody: Bool
    // The connection is the stream's parent, which a response does not close.
    let keepsConnection = true
    let pieceLimit: Int
    private let response: OutgoingResponse

    init(_ response: OutgoingResponse, to request: HTTPRequestHead) {
        self.response = response
        // RFC 9110 section 6.4.1: these responses have no content, whatever their fields are.
        self.hasBody =
            request.method != .HEAD && response.status >= 200 && response.status != 204 && response.status != 304
        // Frames may not be longer unless the client allows it (RFC 9113 section 4.2).
        var limit = 16 * 1024
        if case .chunked(let byteCount) = response.framing { limit = min(limit, byteCount) }
        self.pieceLimit = limit
    }

    func head() -> [NIOAny] {
        var heads = self.response.informational.map { Self.headers(status: $0.status, $0.headers) }
        var fields = self.response.headers
        let isFramed = fields.contains { $0.name.asciiLowercased == "content-length" }
        let forbidsBody = self.response.status < 200 || self.response.status == 204 || self.response.status == 304
        if case .length = self.response.framing, !isFramed, !forbidsBody {
            fields.append(("content-length", String(self.response.body.byteCount)))
        }
        heads.append(Self.headers(status: self.response.status, fields))
        return heads.map { NIOAny(HTTP2Frame.FramePayload.headers(.init(headers: $0))) }
    }

    func body(_ piece: ByteBuffer) -> NIOAny {
        NIOAny(HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(piece))))
    }

    func end() -> NIOAny? {
        guard self.hasBody, !self.response.trailers.isEmpty else {
            return NIOAny(HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)))
        }
        let trailers = HPACKHeaders(self.response.trailers.map { ($0.name.asciiLowercased, $0.value) })
        return NIOAny(HTTP2Frame.FramePayload.headers(.init(headers: trailers, endStream: true)))
    }

    private static func headers(status: Int, _ fields: [(name: String, value: String)]) -> HPACKHeaders {
        var headers: HPACKHeaders = [":status": String(status)]
        for (name, value) in fields {
            let name = name.asciiLowercased
            // Connection-specific fields are not allowed (RFC 9113 section 8.2.2).
            if ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"].contains(name) {
                continue
            }
            headers.add(name: name, value: value)
        }
        return headers
    }
}

extension OutgoingResponse {
    /// Returns why a response cannot be sent over HTTP/2; nil if it can.
    ///
    /// The protocol handler refuses to send a body of another length than announced (RFC 9113 section 8.1.1) and then
    /// ends the connection, so the lengths are compared before.
    func obstacleToHTTP2(to request: HTTPRequestHead) -> String? {
        if self.isRaw { return "a response of raw bytes was asked for over HTTP/2" }
        // The length of these responses is that of another one's content.
        guard request.method != .HEAD, self.status != 304 else { return nil }
        let lengths = self.headers.filter { $0.name.asciiLowercased == "content-length" }.map(\.value)
        guard let first = lengths.first else { return nil }
        let byteCount = self.status < 200 || self.status == 204 ? 0 : self.body.byteCount
        guard let length = Int64(first), length >= 0, lengths.allSatisfy({ Int64($0) == length }) else {
            return "the Content-Length of a response over HTTP/2 is “\(lengths.joined(separator: ", "))”"
        }
        // A response that a fault cuts short may announce more than is sent.
        if let sent = self.sentByteCount(of: byteCount) { return sent <= length ? nil : Self.obstacle(length, sent) }
        return length == byteCount ? nil : Self.obstacle(length, byteCount)
    }

    private static func obstacle(_ length: Int64, _ byteCount: Int64) -> String {
        "the Content-Length of a response over HTTP/2 is \(length), and its body has \(byteCount) bytes"
    }

    /// Returns how many bytes of the body are sent before a fault ends the response; nil if none does.
    private func sentByteCount(of byteCount: Int64) -> Int64? {
        var moments = self.http2Faults.filter(\.isLast).map(\.moment)
        switch self.effect {
        case .close(let moment), .drop(let moment), .reset(let moment), .stall(let moment): moments.append(moment)
        case .hold, .throttle, .doNotRead, nil: break
        }
        return moments.compactMap { moment -> Int64? in
            switch moment {
            case .beforeResponse, .afterHead: 0
            case .afterBody(let offset): min(max(0, offset), byteCount)
            case .afterResponse: nil
            }
        }.min()
    }
}
