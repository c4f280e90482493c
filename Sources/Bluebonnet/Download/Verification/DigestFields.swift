// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPTypes

/// The digests in the header of a response (RFC 9530 sections 2 and 3).
struct DigestFields: Sendable, Equatable {
    /// The digests of the whole representation, whichever part of it the response carries.
    var representation: [ContentDigest] = []

    /// The digests of the bytes that this response carries.
    var content: [ContentDigest] = []

    /// The fields.
    static let names = ["Repr-Digest", "Content-Digest"].compactMap { HTTPField.Name($0) }

    /// Parses Repr-Digest and Content-Digest; an invalid field and an unknown algorithm count as absent.
    init(_ headers: HTTPFields) {
        self.representation = Self.digests(headers, "Repr-Digest")
        self.content = Self.digests(headers, "Content-Digest")
    }

    private static func digests(_ headers: HTTPFields, _ name: String) -> [ContentDigest] {
        guard let name = HTTPField.Name(name) else { return [] }
        // RFC 8941 section 4.2: several lines of a field are one, and one error makes all of it invalid.
        let members = headers[values: name].joined(separator: ",").utf8
            .split(separator: UInt8(ascii: ","), omittingEmptySubsequences: true)
        var digests: [ContentDigest.Algorithm: ContentDigest] = [:]
        for member in members {
            guard let (key, value) = Self.member(Substring(member)) else { return [] }
            guard let algorithm = ContentDigest.Algorithm(rawValue: key) else { continue }
            guard let digest = try? ContentDigest(algorithm, bytes: value) else { return [] }
            digests[algorithm] = digest
        }
        return ContentDigest.Algorithm.allCases.compactMap { digests[$0] }
    }

    /// Parses one member: `sha-256=:BASE64:`, and parameters, which are ignored.
    private static func member(_ text: Substring) -> (key: String, value: Data)? {
        let bytes = text.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let key = bytes[..<equals]
        let value = bytes[bytes.index(after: equals)...]
        guard value.first == UInt8(ascii: ":") else { return nil }
        let encoded = value.dropFirst()
        guard let end = encoded.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = encoded[encoded.index(after: end)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
        guard let name = String(key), let base64 = String(encoded[..<end]), let data = Data(base64Encoded: base64)
        else { return nil }
        return (name, data)
    }
}
