// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore
import NIOHTTP1

extension HTTPVersion {
    /// Whether this version has neither chunks nor persistent connections.
    var isBeforeHTTP11: Bool { self.major < 1 || (self.major == 1 && self.minor < 1) }
}

/// An HTTP/1.1 response: its encoded head, and how it affects the body and the connection (RFC 9112 section 6).
struct ResponseFrame: ResponseFraming {
    let speaksHTTP2 = false
    let hasBody: Bool
    let keepsConnection: Bool
    let pieceLimit: Int
    private let headBytes: ByteBuffer
    private let isChunked: Bool
    private let trailers: [(name: String, value: String)]

    init(_ response: OutgoingResponse, to request: HTTPRequestHead) {
        guard !response.isRaw else {
            (self.headBytes, self.hasBody, self.isChunked, self.trailers) = (ByteBuffer(), true, false, [])
            self.keepsConnection = !response.closes
            self.pieceLimit = PatternBytes.sliceLimit
            return
        }
        // RFC 9110 section 6.4.1: these responses have no content, whatever their fields are.
        let forbidsBody = response.status < 200 || response.status == 204 || response.status == 304
        var framing = response.framing
        let isFramed = response.headers.contains {
            ["content-length", "transfer-encoding"].contains($0.name.asciiLowercased)
        }
        if isFramed || forbidsBody { framing = .asGiven }
        // HTTP/1.0 has no chunks.
        if case .chunked = framing, request.version.isBeforeHTTP11 { framing = .untilClose }

        var extra: [(name: String, value: String)] = []
        var closes = response.closes
        var isChunked = false
        switch framing {
        case .length: extra.append(("Content-Length", String(response.body.byteCount)))
        case .chunked:
            isChunked = true
            extra.append(("Transfer-Encoding", "chunked"))
        case .untilClose: closes = true
        case .asGiven: break
        }
        let saysClose = response.headers.contains {
            $0.name.asciiLowercased == "connection" && $0.value.asciiLowercased.contains("close")
        }
        if closes && !saysClose { extra.append(("Connection", "close")) }
        if !closes && !saysClose && request.version.isBeforeHTTP11 && request.allowsNextRequest {
            extra.append(("Connection", "keep-alive"))
        }
        self.headBytes = Self.bytes(of: response, with: extra)
        self.trailers = response.trailers
        self.hasBody = request.method != .HEAD && !forbidsBody
        self.isChunked = isChunked && self.hasBody
        self.keepsConnection = !closes && !saysClose
        if case .chunked(let byteCount) = response.framing {
            self.pieceLimit = byteCount
        } else {
            self.pieceLimit = PatternBytes.sliceLimit
        }
    }

    func head() -> [NIOAny] { self.headBytes.readableBytes > 0 ? [NIOAny(self.headBytes)] : [] }

    func body(_ piece: ByteBuffer) -> NIOAny {
        guard self.isChunked else { return NIOAny(piece) }
        var chunk = ByteBuffer(string: String(piece.readableBytes, radix: 16) + "\r\n")
        chunk.writeImmutableBuffer(piece)
        chunk.writeString("\r\n")
        return NIOAny(chunk)
    }

    func end() -> NIOAny? {
        guard self.isChunked else { return nil }
        var bytes = ByteBuffer(string: "0\r\n")
        for (name, value) in self.trailers { bytes.writeString("\(name): \(value)\r\n") }
        bytes.writeString("\r\n")
        return NIOAny(bytes)
    }

    private static func bytes(of response: OutgoingResponse, with extra: [(name: String, value: String)]) -> ByteBuffer
    {
        var bytes = ByteBuffer()
        for (status, headers) in response.informational {
            self.write(status: status, reason: "", headers, [], to: &bytes)
        }
        self.write(status: response.status, reason: response.reason, response.headers, extra, to: &bytes)
        return bytes
    }

    private static func write(
        status: Int,
        reason: String,
        _ headers: [(name: String, value: String)],
        _ extra: [(name: String, value: String)],
        to bytes: inout ByteBuffer
    ) {
        let phrase = reason.isEmpty ? HTTPResponseStatus(statusCode: status).reasonPhrase : reason
        bytes.writeString("HTTP/1.1 \(status) \(phrase)\r\n")
        for (name, value) in headers { bytes.writeString("\(name): \(value)\r\n") }
        for (name, value) in extra { bytes.writeString("\(name): \(value)\r\n") }
        bytes.writeString("\r\n")
    }
}
