// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes
import NIOCore

/// The parts of a multipart body that is stored completely.
struct ArchivedParts {
    struct Part {
        var headers: PartHeaders
        var bytes = ByteBuffer()
    }

    private let boundary: String
    private var parts: [Part] = []

    /// Parses a body; nil if it is not a valid multipart body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: The value of its Content-Type.
    init?(_ body: HTTPArchive.Body, type: String?) {
        let type = HeaderParameters(type ?? "")
        guard body.isComplete, type.value.utf8.starts(with: "multipart/".utf8),
            let boundary = type.parameters["boundary"], (1...70).contains(boundary.utf8.count)
        else { return nil }
        self.boundary = boundary
        var scanner = MultipartScanner(boundary: boundary)
        var parts: [Part] = []
        do {
            try scanner.receive(body.bytes) { event throws(ContentError) in
                switch event {
                case .part(let headers): parts.append(Part(headers: headers))
                case .bytes(let bytes): parts[parts.count - 1].bytes.writeImmutableBuffer(bytes)
                case .end: break
                }
            }
            try scanner.finish()
        } catch {
            return nil
        }
        self.parts = parts
    }

    /// Replaces the content of the parts.
    ///
    /// - Parameter replacement: Returns the new bytes of a part; nil to keep them.
    /// - Returns: The new body; nil if no part has changed.
    func body(replacing replacement: (Part) -> ByteBuffer?) -> HTTPArchive.Body? {
        let replacements = self.parts.map(replacement)
        guard replacements.contains(where: { $0 != nil }) else { return nil }
        var bytes = ByteBuffer()
        for (part, replacement) in zip(self.parts, replacements) {
            bytes.writeString("--\(self.boundary)\r\n")
            for field in part.headers.fields { bytes.writeString("\(field.name): \(field.value)\r\n") }
            bytes.writeString("\r\n")
            bytes.writeImmutableBuffer(replacement ?? part.bytes)
            bytes.writeString("\r\n")
        }
        bytes.writeString("--\(self.boundary)--\r\n")
        return HTTPArchive.Body(bytes)
    }

    /// Whether both have the same fields and bytes; boundaries are ignored.
    func isEqual(to other: ArchivedParts) -> Bool {
        self.parts.elementsEqual(other.parts) { left, right in
            left.bytes == right.bytes
                && left.headers.fields.elementsEqual(right.headers.fields) { one, other in
                    one.name.utf8.elementsEqual(other.name.utf8) && one.value.utf8.elementsEqual(other.value.utf8)
                }
        }
    }
}

extension HTTPArchive.Request {
    /// Whether another request has the same method and the same URL, byte by byte.
    func hasSameMethodAndURL(as other: HTTPArchive.Request) -> Bool {
        self.method == other.method && self.url.utf8.elementsEqual(other.url.utf8)
    }

    /// Whether another request has the same body, both in their redacted form.
    ///
    /// Multipart bodies are compared by their parts, because the boundary differs each time.
    ///
    /// - Parameters:
    ///   - other: The other request.
    ///   - byteCount: The length of its body before redaction.
    /// - Returns: Whether it has; if the body of this one was not kept, whether the length is equal or not known.
    package func hasSameBody(as other: HTTPArchive.Request, byteCount: Int64) -> Bool {
        guard self.body.isComplete else { return self.body.mayHave(byteCount: byteCount) }
        // Left out because of a secret that this one does not have.
        guard other.body.isComplete else { return false }
        if self.body == other.body { return true }
        guard let parts = ArchivedParts(self.body, type: self.headers[.contentType]),
            let others = ArchivedParts(other.body, type: other.headers[.contentType])
        else { return false }
        return parts.isEqual(to: others)
    }
}
