// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// A printer for requests as they are sent.
struct RequestPrinter: Sendable {
    /// The sink that is printed to.
    var sink: any OutputSink

    /// The formatting of the output.
    var style: OutputStyle

    /// The parts of the request that are printed.
    var parts: PrintParts

    /// Whether a body that can be read only once may be consumed, because nothing is sent afterwards.
    var mayConsumeBody: Bool

    /// Prints a request.
    ///
    /// - Parameters:
    ///   - head: The request line, the header fields and the empty line, in the syntax of HTTP/1.1.
    ///   - version: The HTTP version of the exchange.
    ///   - request: The request with its body.
    /// - Throws: `CommandFailure`, or the error of reading the body.
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

    /// Prints the empty line between request and response, because the body of the request does not end with one.
    ///
    /// - Parameter request: The request.
    /// - Throws: `CommandFailure` if the sink cannot be written to.
    func printSeparator(after request: Request) throws {
        guard self.parts.contains(.requestBody) else { return }
        if case .none = request.body { return }
        try self.sink.write(self.style.isEscaped ? "\n" : "\r\n\r\n")
    }

    /// Writes the bytes as they are sent, with the chunked coding if the length is unknown.
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

    /// Prints the body, formatted for a terminal.
    private func printBody(of request: Request) throws {
        var printer = BodyPrinter(sink: self.sink, style: self.style, mediaType: request.headers[.contentType])
        var isBinary = false
        try Self.read(request.body) { bytes in
            isBinary = try printer.write(bytes) == .binary
            return !isBinary
        }
        // Ends the line of text that came before a binary rest, too.
        let outcome = try printer.finish()
        if isBinary || outcome == .binary {
            try self.sink.write(
                BodyPrinter.binaryNote("leave out --pretty, or send the output to a file, to see the bytes")
            )
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
    /// Whether HTTP/1.1 sends the body with the chunked coding, because its length is unknown.
    fileprivate var isChunked: Bool {
        if case .stream(nil, _, _) = self { true } else { false }
    }
}

extension BodyPrinter {
    /// Returns the note that replaces binary data on a terminal.
    static func binaryNote(_ hint: String) -> String {
        "+ binary data, not shown: \(hint) +\n"
    }
}
