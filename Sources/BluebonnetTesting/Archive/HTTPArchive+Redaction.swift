// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import BluebonnetSerialization
import HTTPTypes

extension HTTPArchive.Request {
    /// Returns the request without the values that a redaction hides.
    package func hiding(_ redaction: Redaction) -> HTTPArchive.Request {
        HTTPArchive.Request(
            method: self.method,
            url: redaction.url(self.url),
            headers: self.headers.hiding(redaction),
            body: self.body.hiding(
                redaction,
                type: self.headers[.contentType],
                isCoded: self.headers.hasContentCoding
            )
        )
    }
}

extension HTTPArchive.Response {
    /// Returns the response without the values that a redaction hides.
    func hiding(_ redaction: Redaction) -> HTTPArchive.Response {
        let type = self.headers[.contentType]
        // Usually the content has been decoded, although the field still lists the codings.
        let isCoded = self.headers.hasContentCoding && self.body.looksCoded(type: type)
        var response = HTTPArchive.Response(
            status: self.status,
            headers: self.headers.hiding(redaction),
            body: self.body.hiding(redaction, type: type, isCoded: isCoded)
        )
        // The replacement of a body is not encoded.
        response.isBodyEncoded = self.isBodyEncoded && response.body == self.body
        return response
    }
}

extension HTTPFields {
    fileprivate func hiding(_ redaction: Redaction) -> HTTPFields {
        guard redaction.isActive else { return self }
        return HTTPFields(self.map { HTTPField(name: $0.name, value: $0.value(hiding: redaction)) })
    }
}
