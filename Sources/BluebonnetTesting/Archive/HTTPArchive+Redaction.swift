// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
package import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import NIOCore

extension HTTPArchive.Request {
    /// The request without what a redaction hides.
    package func hiding(_ redaction: Redaction) -> HTTPArchive.Request {
        HTTPArchive.Request(
            method: self.method,
            url: redaction.url(self.url),
            headers: self.headers.hiding(redaction),
            body: self.body.hiding(redaction, type: self.headers[.contentType])
        )
    }
}

extension HTTPArchive.Response {
    /// The response without what a redaction hides.
    func hiding(_ redaction: Redaction) -> HTTPArchive.Response {
        var headers = self.headers.hiding(redaction)
        if let location = headers[.location] { headers[.location] = redaction.url(location) }
        let body = self.body.hiding(redaction, type: self.headers[.contentType])
        return HTTPArchive.Response(status: self.status, headers: headers, body: body)
    }
}

extension HTTPArchive.Body {
    /// Forms and JSON without secret members; as it is in any other type, which nobody can look into.
    fileprivate func hiding(_ redaction: Redaction, type: String?) -> HTTPArchive.Body {
        guard redaction.isActive, self.isComplete, self.byteCount > 0 else { return self }
        let essence = type?.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != UInt8(ascii: " ") } ?? []
        let name = String(decoding: essence, as: UTF8.self).asciiLowercased
        let bytes = Data(self.bytes.readableBytesView)
        if name == "application/x-www-form-urlencoded" {
            guard let text = String(validating: bytes, as: UTF8.self) else { return self }
            return Self(ByteBuffer(string: redaction.pairs(text[...])))
        }
        guard name == "application/json" || name.utf8.suffix(5).elementsEqual("+json".utf8) else { return self }
        guard let value = try? JSONValue(parsing: bytes) else { return self }
        let hidden = redaction.json(value)
        // A document without secrets keeps its own bytes.
        return hidden == value ? self : Self(ByteBuffer(bytes: hidden.serialized()))
    }
}

extension HTTPFields {
    fileprivate func hiding(_ redaction: Redaction) -> HTTPFields {
        HTTPFields(
            self.map { field in
                redaction.hides(field.name.rawName) ? HTTPField(name: field.name, value: Redaction.mark) : field
            }
        )
    }
}
