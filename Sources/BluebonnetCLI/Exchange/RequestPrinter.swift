// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Prints a request as it goes onto the wire.
struct RequestPrinter: Sendable {
    /// Where it goes.
    var sink: any OutputSink

    /// How it is formatted.
    var style: OutputStyle

    /// What is printed of it.
    var parts: PrintParts

    /// Whether the body may be read although it can be read only once: nothing is sent afterwards.
    var mayConsumeBody: Bool

    /// Prints a request.
    ///
    /// - Parameters:
    ///   - head: Request line, header fields and the empty line, in the form of HTTP/1.1.
    ///   - version: The version of HTTP that carries it.
    ///   - request: The request, whose body is printed.
    /// - Throws: `CommandFailure`, or what reading the body throws.
    func print(head: [UInt8], version: ExchangeMetrics.HTTPVersion, of request: Request) throws {
        if self.parts.contains(.requestHead) {
            try self.sink.write(bytes: HeadPrinter(style: self.style).request(head))
        }
        guard self.parts.contains(.requestBody) else { return }
        guard self.mayConsumeBody || request.body.isReplayable else {
            try self.sink.write("+ the body is streamed from standard input and not shown +\n\n")
            return
        }
        if self.style.isEscaped {
            try self.printBody(of: request)
        } else {
            try self.writeBody(of: request, isChunked: version != .http2 && request.body.isChunked)
        }
    }

    /// Prints the empty line between request and response; the body of the request has not ended with one.
    ///
    /// - Parameter request: The request.
    /// - Throws: `CommandFailure`.
    func printSeparator(after request: Request) throws {
        guard self.parts.contains(.requestBody) else { return }
        if case .none = request.body { return }
        try self.sink.write(self.style.isEscaped ? "\n" : "\r\n\r\n")
    }

    /// The bytes as they are sent, in chunks where the length is not known.
    private func writeBody(of request: Request, isChunked: Bool) throws {
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
    private func printBody(of request: Request) throws {
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

    private static func read(_ body: RequestBody, _ take: (UnsafeRawBufferPointer) throws -> Bool) throws {
        if case .none = body { return }
        var reader = try body.makeReader()
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTP1WireImage.chunkSize, alignment: 16)
        defer { space.deallocate() }
        while true {
            let count = try reader.read(into: space)
            guard count > 0, try take(UnsafeRawBufferPointer(rebasing: space[..<count])) else { return }
        }
    }
}

extension RequestBody {
    /// Whether HTTP/1.1 sends it in chunks: its length is not known.
    fileprivate var isChunked: Bool {
        if case .stream(nil, _, _) = self { true } else { false }
    }
}

extension BodyPrinter {
    /// What stands in place of bytes that no terminal can show.
    static func binaryNote(_ hint: String) -> String {
        "+ binary data, not shown: \(hint) +\n"
    }
}
