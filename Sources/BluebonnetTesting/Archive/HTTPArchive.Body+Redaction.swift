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
    /// In forms, the parts of multipart bodies, JSON (also line-delimited) and the data of event streams, values with
    /// secret names are replaced. Of any other body, or a malformed one, only the length is kept if it contains a
    /// secret name. Images, audio, video and fonts are unchanged, and so are pages and scripts unless they are JSON.
    ///
    /// - Parameters:
    ///   - redaction: What is hidden.
    ///   - type: The value of Content-Type.
    ///   - isPart: Whether this is a part of a body: a multipart body in it is not parsed, because a peer may nest any
    ///     number of them.
    /// - Returns: The body to keep.
    func hiding(
        _ redaction: Redaction,
        type: String?,
        isPart: Bool = false
    ) -> HTTPArchive.Body {
        guard redaction.isActive, self.isComplete, self.byteCount > 0 else { return self }
        let name = HeaderParameters(type ?? "").value
        switch name {
        case "application/x-www-form-urlencoded": return self.hidingPairs(redaction)
        case _ where name.utf8.starts(with: "multipart/".utf8):
            guard !isPart, let parts = ArchivedParts(self, type: type) else {
                return self.leftOutIfSecret(redaction, name)
            }
            return parts.body { $0.hiding(redaction) } ?? self
        case "text/event-stream": return self.hidingEvents(redaction) ?? self.leftOutIfSecret(redaction, name)
        case _ where Self.isMedia(name): return self
        // Some servers send JSON with the type of a page.
        case _ where Self.pageTypes.contains(name): return self.hidingMembers(redaction) ?? self
        default:
            return self.hidingMembers(redaction) ?? self.hidingLines(redaction)
                ?? self.leftOutIfSecret(redaction, name)
        }
    }

    /// The replacement of a body that is not kept: only its length.
    var leftOut: Self { Self(ByteBuffer(), of: self.byteCount) }

    /// Why a body that is not complete is missing, as a sentence about a response.
    package var absence: String {
        "the archive has not the body of this response, which had \(self.byteCount) bytes: it was above the limit of"
            + " the recording, or left out because its text may hold a secret"
    }

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
        return redaction.json(text).map { $0 == text ? self : Self(ByteBuffer(bytes: $0)) }
    }

    /// Returns the body without secret members; nil if it is not line-delimited JSON.
    private func hidingLines(_ redaction: Redaction) -> HTTPArchive.Body? {
        let text = Data(self.bytes.readableBytesView)
        return redaction.jsonLines(text).map { $0 == text ? self : Self(ByteBuffer(bytes: $0)) }
    }

    /// Returns the event stream without secrets; nil if it is not UTF-8.
    private func hidingEvents(_ redaction: Redaction) -> HTTPArchive.Body? {
        guard let text = String(validating: self.bytes.readableBytesView, as: UTF8.self) else { return nil }
        return redaction.events(text).map { Self(ByteBuffer(string: $0)) } ?? self
    }

    private func leftOutIfSecret(_ redaction: Redaction, _ type: String) -> HTTPArchive.Body {
        let bytes = self.bytes.readableBytesView
        let isOpaque = type.isEmpty || type == "application/octet-stream"
        // A JSON escape of an ASCII letter prevents the name from being found.
        let isEscaped = !isOpaque && bytes.firstRange(of: #"\u00"#.utf8) != nil
        let isForm = type.utf8.starts(with: "multipart/".utf8)
        return isEscaped || redaction.isSecretNamed(in: bytes, isOpaque: isOpaque, isForm: isForm) ? self.leftOut : self
    }

    private static func isMedia(_ type: String) -> Bool {
        // A picture in XML is text.
        ["image/", "audio/", "video/", "font/"].contains { type.utf8.starts(with: $0.utf8) }
            && !type.utf8.ends(with: "+xml".utf8)
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
        if let name = self.headers.name, redaction.hidesFormField(name) { return ByteBuffer(string: Redaction.mark) }
        // The text of a field is not a document: its name has been checked.
        guard let type = self.headers["content-type"] else { return nil }
        let body = HTTPArchive.Body(self.bytes)
        let hidden = body.hiding(redaction, type: type, isPart: true)
        if hidden == body { return nil }
        // The length distinguishes parts that are left out.
        return hidden.isComplete ? hidden.bytes : ByteBuffer(string: "\(Redaction.mark) (\(hidden.byteCount) bytes)")
    }
}
