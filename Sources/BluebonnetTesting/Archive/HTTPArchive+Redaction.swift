// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

extension HTTPArchive.Request {
    /// Returns the request without the values that a redaction hides.
    ///
    /// Its body is returned without content codings, because what is secret in it does not count in a comparison.
    package func hiding(_ redaction: Redaction) -> HTTPArchive.Request {
        HTTPArchive.Request(
            method: self.method,
            url: redaction.url(self.url),
            headers: self.headers.hiding(redaction),
            body: self.body.contentHiding(redaction, self.headers) { $1 }
        )
    }
}

extension HTTPArchive.Response {
    /// Returns the response without the values that a redaction hides.
    func hiding(_ redaction: Redaction) -> HTTPArchive.Response {
        var response = HTTPArchive.Response(
            status: self.status,
            headers: self.headers.hiding(redaction),
            // Without a secret, the bytes stay as they were received.
            body: self.body.contentHiding(redaction, self.headers) { $0 == $1 ? self.body : $1 }
        )
        response.isBodyAbandoned = self.isBodyAbandoned
        response.trailers = self.trailers.hiding(redaction)
        // The replacement of a body is not encoded.
        response.isBodyEncoded = self.isBodyEncoded && response.body == self.body
        // Neither do digests of the original apply to it (RFC 9530).
        if response.body != self.body {
            for name in Self.digestNames {
                response.headers[name] = nil
                response.trailers[name] = nil
            }
        }
        return response
    }

    private static let digestNames = ["Repr-Digest", "Content-Digest"].compactMap { HTTPField.Name($0) }
}

extension HTTPArchive.Body {
    /// Returns the body without the values that a redaction hides, after content decoding.
    ///
    /// - Parameters:
    ///   - redaction: What is hidden.
    ///   - headers: The header fields of the message.
    ///   - choice: Returns the body to keep, given the decoded one and the one without secrets.
    /// - Returns: The body to keep; of one that cannot be decoded or parsed, only the length as it was.
    fileprivate func contentHiding(
        _ redaction: Redaction,
        _ headers: HTTPFields,
        _ choice: (_ decoded: Self, _ hidden: Self) -> Self
    ) -> Self {
        let type = headers[.contentType]
        // Usually the content has been decoded, although the field still lists the codings.
        guard redaction.isActive, headers.hasContentCoding, self.looksCoded(type: type) else {
            return self.hiding(redaction, type: type)
        }
        guard let decoded = headers.decodedContent(of: self.bytes, upTo: Self.largestContent).map(Self.init) else {
            return self.leftOut
        }
        let hidden = decoded.hiding(redaction, type: type)
        return hidden.isComplete ? choice(decoded, hidden) : self.leftOut
    }

    /// The number of bytes to which a recorded body may expand.
    private static let largestContent: Int64 = 256 * 1024 * 1024
}

extension HTTPFields {
    fileprivate func hiding(_ redaction: Redaction) -> HTTPFields {
        guard redaction.isActive else { return self }
        return HTTPFields(self.map { HTTPField(name: $0.name, value: $0.value(hiding: redaction)) })
    }
}
