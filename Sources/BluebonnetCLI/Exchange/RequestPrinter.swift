// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore

/// Prints a request as it goes onto the wire.
struct RequestPrinter: Sendable {
    /// Where it goes.
    var sink: any OutputSink

    /// How it is formatted.
    var style: OutputStyle

    /// How it gets to its origin: a proxy that forwards it is sent a longer request line, and credentials of its own.
    var transport: NIOTransport.Configuration

    /// What is printed of it.
    var parts: PrintParts

    /// Whether the body may be read although it can be read only once: nothing is sent afterwards.
    var mayConsumeBody: Bool

    /// Prints a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - version: The version of HTTP that carries it; nil for HTTP/1.1.
    /// - Throws: `CommandFailure`, `TransportError` if the request would be refused, or what reading the body throws.
    func print(_ request: TransportRequest, version: ExchangeMetrics.HTTPVersion?) throws {
        let head = try HTTP1WireImage.head(of: request, over: self.transport)
        if self.parts.contains(.requestHead) {
            try self.sink.write(bytes: HeadPrinter(style: self.style).request(head, version: version))
        }
        guard self.parts.contains(.requestBody) else { return }
        guard self.mayConsumeBody || request.body.isReplayable else {
            try self.sink.write("+ the body is streamed from standard input and not shown +\n\n")
            return
        }
        if self.style.isEscaped {
            try self.printBody(of: request)
        } else {
            try self.writeBody(of: request)
        }
    }

    /// The bytes as they are sent, in chunks where the length is not known.
    private func writeBody(of request: TransportRequest) throws {
        var isChunked = false
        if case .reader(nil, _, _) = request.body { isChunked = true }
        try Self.read(request.body) { bytes in
            // RFC 9112 section 7.1.
            if isChunked { try self.sink.write(String(bytes.count, radix: 16) + "\r\n") }
            try self.sink.write(bytes)
            if isChunked { try self.sink.write("\r\n") }
            return true
        }
        if isChunked { try self.sink.write("0\r\n\r\n") }
    }

    /// The body for a person.
    private func printBody(of request: TransportRequest) throws {
        var printer = BodyPrinter(sink: self.sink, style: self.style, mediaType: request.headers[.contentType])
        var isBinary = false
        try Self.read(request.body) { bytes in
            isBinary = try printer.write(bytes) == .binary
            return !isBinary
        }
        if isBinary {
            try self.sink.write(
                BodyPrinter.binaryNote("leave out --pretty, or send the output to a file, to see the bytes")
            )
        } else {
            try printer.finish()
        }
    }

    private static func read(_ body: TransportBody, _ take: (UnsafeRawBufferPointer) throws -> Bool) throws {
        switch body {
        case .none: return
        case .bytes(let buffer): _ = try buffer.withUnsafeReadableBytes { try take($0) }
        case .reader, .file:
            guard var reader = try body.makeReader() else { return }
            let space = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTP1WireImage.chunkSize, alignment: 16)
            defer { space.deallocate() }
            while true {
                let count = try reader.read(into: space)
                guard count > 0, try take(UnsafeRawBufferPointer(rebasing: space[..<count])) else { return }
            }
        }
    }
}

extension BodyPrinter {
    /// What stands in place of bytes that no terminal can show.
    static func binaryNote(_ hint: String) -> String {
        "+ binary data, not shown: \(hint) +\n"
    }
}
