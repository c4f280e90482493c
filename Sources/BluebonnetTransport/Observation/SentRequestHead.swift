// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import NIOCore

/// The head of a request as the transport sent it, including the fields that the transport adds: Host, and those for
/// framing and for a proxy.
///
/// It contains everything that the request contains, including credentials. Its description shows only the method and
/// the number of fields.
public struct SentRequestHead: Sendable, Hashable {
    /// The version of HTTP that carries the request.
    public let httpVersion: ExchangeMetrics.HTTPVersion

    private let text: ByteBuffer

    /// Creates a head from its complete bytes in the HTTP/1.1 format.
    init(_ text: ByteBuffer, httpVersion: ExchangeMetrics.HTTPVersion) {
        self.text = text
        self.httpVersion = httpVersion
    }

    /// The request line, the header fields and the empty line.
    ///
    /// On HTTP/1.1 these are the bytes sent on the connection. On HTTP/2 they are the pseudo-header fields and the
    /// fields of the header block in the HTTP/1.1 format: `:authority` becomes the Host field.
    public var bytes: [UInt8] { Array(self.text.readableBytesView) }

    /// The method, for example `GET`.
    public var method: String { String(decoding: self.requestLine.prefix { $0 != 0x20 }, as: UTF8.self) }

    /// The request target: path and query, or the absolute form if a proxy forwards the request.
    public var target: String {
        let words = self.requestLine.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        return words.count > 1 ? String(decoding: words[1], as: UTF8.self) : ""
    }

    /// The header fields in the order they were sent.
    public var headers: HTTPFields {
        var fields = HTTPFields()
        for line in self.lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
            else { continue }
            fields.append(HTTPField(name: name, value: line[line.index(after: colon)...].drop { $0 == 0x20 }))
        }
        return fields
    }

    private var requestLine: ArraySlice<UInt8> { self.lines.first ?? [] }

    /// The lines without their line endings; a value that was sent contains no line break.
    private var lines: [ArraySlice<UInt8>] { self.bytes.split { $0 == 0x0D || $0 == 0x0A } }
}

// The default mirror would print the fields.
extension SentRequestHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "\(self.method) over \(self.httpVersion.rawValue), \(max(self.lines.count - 1, 0)) header fields"
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["head": self.description]) }
}
