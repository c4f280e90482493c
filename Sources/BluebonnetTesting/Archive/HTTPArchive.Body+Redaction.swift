// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import NIOCore

extension HTTPArchive.Body {
    /// Returns the body without secrets.
    ///
    /// In forms, the parts of multipart bodies and JSON, values with secret names are removed. Any other body, or a
    /// malformed one, is omitted completely if it contains a secret name. Images, audio, video and fonts are unchanged,
    /// and so are pages and scripts unless they are JSON.
    ///
    /// - Parameters:
    ///   - redaction: What is hidden.
    ///   - type: The value of Content-Type.
    ///   - isCoded: Whether the bytes are compressed and cannot be inspected.
    ///   - isPart: Whether this is a part of a body: a multipart body in it is not parsed, because a peer may nest any
    ///     number of them.
    /// - Returns: The body to keep.
    func hiding(
        _ redaction: Redaction,
        type: String?,
        isCoded: Bool = false,
        isPart: Bool = false
    ) -> HTTPArchive.Body {
        guard redaction.isActive, self.isComplete, self.byteCount > 0 else { return self }
        if isCoded { return .leftOut }
        let name = HeaderParameters(type ?? "").value
        switch name {
        case "application/x-www-form-urlencoded": return self.hidingPairs(redaction)
        case _ where name.utf8.starts(with: "multipart/".utf8):
            guard !isPart, let parts = ArchivedParts(self, type: type) else {
                return self.leftOutIfSecret(redaction, name)
            }
            return parts.body { $0.hiding(redaction) } ?? self
        case _ where Self.isMedia(name): return self
        // Some servers send JSON with the type of a page.
        case _ where Self.pageTypes.contains(name): return self.hidingMembers(redaction) ?? self
        default: return self.hidingMembers(redaction) ?? self.leftOutIfSecret(redaction, name)
        }
    }

    /// The replacement of an omitted body.
    static let leftOut = Self(ByteBuffer(string: Redaction.mark))

    /// Whether the bytes look like encoded content: data formats are text otherwise.
    func looksCoded(type: String?) -> Bool {
        let name = HeaderParameters(type ?? "").value
        guard self.isComplete, self.byteCount > 0, !Self.isMedia(name) else { return false }
        return String(validating: self.bytes.readableBytesView, as: UTF8.self) == nil
    }

    private func hidingPairs(_ redaction: Redaction) -> HTTPArchive.Body {
        let text = String(decoding: self.bytes.readableBytesView, as: UTF8.self)
        let hidden = redaction.pairs(text[...])
        return hidden.utf8.elementsEqual(text.utf8) ? self : Self(ByteBuffer(string: hidden))
    }

    /// Returns the body without secret members; nil if it is not JSON.
    private func hidingMembers(_ redaction: Redaction) -> HTTPArchive.Body? {
        let text = Data(self.bytes.readableBytesView)
        guard let hidden = redaction.json(text) else { return nil }
        return hidden == text ? self : Self(ByteBuffer(bytes: hidden))
    }

    private func leftOutIfSecret(_ redaction: Redaction, _ type: String) -> HTTPArchive.Body {
        let bytes = self.bytes.readableBytesView
        let isOpaque = type.isEmpty || type == "application/octet-stream"
        // A JSON escape of an ASCII letter prevents the name from being found.
        let isEscaped = !isOpaque && bytes.firstRange(of: #"\u00"#.utf8) != nil
        let isForm = type.utf8.starts(with: "multipart/".utf8)
        return isEscaped || redaction.isSecretNamed(in: bytes, isOpaque: isOpaque, isForm: isForm) ? .leftOut : self
    }

    private static func isMedia(_ type: String) -> Bool {
        ["image/", "audio/", "video/", "font/"].contains { type.utf8.starts(with: $0.utf8) }
            || ["application/pdf", "application/zip", "application/wasm"].contains(type)
    }

    /// Types for display, in which words such as “password” are common.
    private static let pageTypes: Set<String> = [
        "text/html", "application/xhtml+xml", "text/css", "text/javascript", "application/javascript",
        "text/markdown",
    ]
}

extension ArchivedParts.Part {
    /// Returns the bytes without secrets; nil if there are none.
    fileprivate func hiding(_ redaction: Redaction) -> ByteBuffer? {
        if let name = self.headers.name, redaction.hidesFormField(name) { return HTTPArchive.Body.leftOut.bytes }
        // The text of a field is not a document: its name has been checked.
        guard let type = self.headers["content-type"] else { return nil }
        let body = HTTPArchive.Body(self.bytes)
        let hidden = body.hiding(redaction, type: type, isPart: true)
        return hidden == body ? nil : hidden.bytes
    }
}
