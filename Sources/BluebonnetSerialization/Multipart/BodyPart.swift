// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// One part of a multipart form: header fields and a body of known length.
public struct BodyPart: Sendable {
    /// A header field of a part; its value is written as UTF-8.
    public struct Header: Sendable, Hashable {
        /// The name, a token.
        public let name: String
        /// The value, without CR, LF and NUL.
        public let value: String
    }

    enum Source: Sendable {
        case data(Data)
        case file(URL)
        case stream(isReplayable: Bool, makeReader: @Sendable () throws -> any BodyReader)
    }

    /// The header fields in the order they are sent: Content-Disposition, Content-Type, others.
    public let headers: [Header]

    /// The number of bytes of the body.
    public let contentLength: Int64

    /// The name of the part in errors.
    let label: String

    let source: Source

    /// The encoded header fields, including the empty line that ends them.
    let headerBytes: [UInt8]

    /// Creates a part.
    ///
    /// - Throws: ``SerializationError/Code/invalidHeader``; ``SerializationError/Code/lengthMismatch`` for a negative length.
    init(
        headers: [Header],
        contentLength: Int64,
        label: String,
        source: Source
    ) throws(SerializationError) {
        guard contentLength >= 0 else {
            throw SerializationError(.lengthMismatch, reason: "the length of \(label) is negative")
        }
        var bytes: [UInt8] = []
        for header in headers {
            try Self.check(header, of: label)
            bytes.append(contentsOf: "\(header.name): \(header.value)\r\n".utf8)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        self.headers = headers
        self.contentLength = contentLength
        self.label = label
        self.source = source
        self.headerBytes = bytes
    }

    /// Whether the body can be read more than once.
    public var isReplayable: Bool {
        if case .stream(let isReplayable, _) = self.source { isReplayable } else { true }
    }

    /// Opens the body; nil for bytes in memory, which need no reader.
    func makeReader() throws(SerializationError) -> (any BodyReader)? {
        switch self.source {
        case .data:
            return nil
        case .file(let url):
            return try FileReader(url, length: self.contentLength, subject: "the file of \(self.label)")
        case .stream(_, let makeReader):
            let subject = "the stream of \(self.label)"
            let reader = try RequestBody.read(subject, from: makeReader)
            return LengthCheckingReader(reader, length: self.contentLength, subject: subject)
        }
    }

    private static func check(_ header: Header, of label: String) throws(SerializationError) {
        guard !header.name.isEmpty, header.name.utf8.allSatisfy(\.isTokenByte) else {
            throw SerializationError(.invalidHeader, reason: "a header name of \(label) is not a token")
        }
        let isLegal = header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        guard isLegal else {
            throw SerializationError(
                .invalidHeader,
                reason:
                    "the value of the header “\(header.name)” of \(label) holds a line break or another control character"
            )
        }
    }
}
