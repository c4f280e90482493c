// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The digests in the header of a response (RFC 9530 sections 2 and 3).
struct DigestFields: Sendable, Equatable {
    /// The digests of the whole representation, whichever part of it the response carries.
    var representation: [ContentDigest] = []

    /// The digests of the bytes that this response carries.
    var content: [ContentDigest] = []

    /// The fields.
    static let names = ["Repr-Digest", "Content-Digest"].compactMap { HTTPField.Name($0) }

    /// Parses Repr-Digest and Content-Digest; an invalid field, an invalid digest and an unknown algorithm count as absent.
    init(_ headers: HTTPFields) {
        self.representation = Self.digests(headers, "Repr-Digest")
        self.content = Self.digests(headers, "Content-Digest")
    }

    private static func digests(_ headers: HTTPFields, _ name: String) -> [ContentDigest] {
        // RFC 9651 section 4.2: several lines of a field are one, and one error makes all of it invalid.
        guard let name = HTTPField.Name(name),
            let field = ByteSequenceDictionary(headers[values: name].joined(separator: ","))
        else { return [] }
        return ContentDigest.Algorithm.allCases.compactMap { algorithm in
            field.members[algorithm.rawValue].flatMap { try? ContentDigest(algorithm, bytes: $0) }
        }
    }
}
