// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// Verifies the digests that a server gives of a body while the body is read, for bytes that cannot be read again.
package struct ResponseVerifier {
    private let isPart: Bool
    private var verifier: DigestVerifier

    /// Prepares the digests of a response's header, and those that its `Trailer` field announces (RFC 9110 section
    /// 6.6.2).
    ///
    /// - Parameter response: The response, whose body must not be decoded.
    package init(_ response: StreamedResponse) {
        // RFC 9530 section 3: the digest of the whole does not apply to the part that was requested.
        self.isPart = response.request.headers.contains(.range)
        let announced = FieldList.names(of: .trailer, in: response.headers).compactMap { HTTPField.Name($0) }
        let isAnnounced = announced.contains { DigestFields.names.contains($0) }
        let expected = Self.digests(response.headers, isPart: self.isPart)
        self.verifier = DigestVerifier(expected, computing: isAnnounced ? ContentDigest.Algorithm.allCases : [])
    }

    /// Adds the next bytes of the body.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) { self.verifier.update(bytes) }

    /// Compares the digests.
    ///
    /// - Parameter trailers: The trailers of the body.
    /// - Returns: The verified digests.
    /// - Throws: ``SessionError`` with ``SessionError/Code/digestMismatch``.
    package mutating func verify(_ trailers: HTTPFields?) throws(SessionError) -> [ContentDigest] {
        // A digest that no field has announced cannot be computed any more.
        _ = self.verifier.expect(Self.digests(trailers ?? HTTPFields(), isPart: self.isPart))
        try self.verifier.verify()
        return self.verifier.expected
    }

    private static func digests(_ fields: HTTPFields, isPart: Bool) -> [ContentDigest] {
        let digests = DigestFields(fields)
        return (isPart ? [] : digests.representation) + digests.content
    }
}
