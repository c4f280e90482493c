// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes

extension CurlFormPart {
    /// The extensions of which curl derives a media type; it has no type for others.
    private static let mediaTypes: [(suffix: String, type: String)] = [
        (".gif", "image/gif"), (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".png", "image/png"),
        (".svg", "image/svg+xml"), (".txt", "text/plain"), (".htm", "text/html"), (".html", "text/html"),
        (".pdf", "application/pdf"), (".xml", "application/xml"),
    ]

    private static func mediaType(ofPath path: String) -> String? {
        let path = path.asciiLowercased
        return Self.mediaTypes.first { path.ends(withScalars: $0.suffix) }?.type
    }

    /// Appends the part to a form.
    ///
    /// - Parameter form: The form.
    /// - Throws: `CommandFailure` for a file that cannot be read, or a value that may not be sent.
    func append(to form: inout MultipartFormData) throws(CommandFailure) {
        let mediaType = self.mediaType ?? self.filename.flatMap { Self.mediaType(ofPath: $0) }
        switch self.content {
        case .text(let text):
            try self.append(Data(text.utf8), self.filename, mediaType, to: &form)
        case .textFile(let path):
            // curl takes no name with “<”.
            try self.append(try LocalFile.bytes(path).data, nil, self.mediaType, to: &form)
        case .file(let path):
            try self.append(path, mediaType ?? Self.mediaType(ofPath: path) ?? MediaType.octetStream, to: &form)
        }
    }

    private func append(
        _ path: String,
        _ mediaType: String,
        to form: inout MultipartFormData
    ) throws(CommandFailure) {
        let file = LiteralPath.url(path)
        guard !self.name.isEmpty else {
            let filename = self.filename ?? file.lastPathComponent
            return try self.append(try LocalFile.bytes(path).data, filename, mediaType, to: &form)
        }
        do throws(SerializationError) {
            try form.append(file: file, name: self.name, filename: self.filename, contentType: mediaType)
        } catch {
            throw .usage("“\(path)” cannot be uploaded: \(error.reason)")
        }
    }

    private func append(
        _ data: Data,
        _ filename: String?,
        _ mediaType: String?,
        to form: inout MultipartFormData
    ) throws(CommandFailure) {
        guard self.name.isEmpty else {
            return form.append(data, name: self.name, filename: filename, contentType: mediaType)
        }
        // An empty name is left out, as in curl, though RFC 7578 section 4.2 demands one.
        let parameter = filename.map { "; filename=\"\(Self.escaped($0))\"" } ?? ""
        var fields: HTTPFields = [.contentDisposition: "form-data\(parameter)"]
        fields[.contentType] = mediaType
        do throws(SerializationError) {
            try form.append(data, headers: fields)
        } catch {
            throw .usage("the form cannot be sent: \(error.reason)")
        }
    }

    /// A name without the bytes that would end the quoted string or the line.
    private static func escaped(_ text: String) -> String {
        let escapes: [Unicode.Scalar: String] = ["\"": "%22", "\r": "%0D", "\n": "%0A"]
        return text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}
