// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import Crypto
import HTTPTypes

/// Which requests a stored response answers: those that agree with its own in the fields of Vary (RFC 9111 section 4.1), in their
/// credentials, and in whether the body is decoded.
struct VariantSelection: Sendable, Equatable {
    /// A field that the response depends on.
    struct Field: Sendable, Equatable {
        /// The name in lower case.
        var name: String
        /// The value in its normal form, or its digest; nil if the request had none.
        var value: String?
    }

    /// The fields, in the order of their names.
    let fields: [Field]

    /// Whether decoded content was requested.
    let isDecoded: Bool

    /// The fields whose values are kept unchanged if they are ASCII; any other field may be a secret, so only a digest
    /// is kept.
    private static let plain: Set<String> = [
        "accept", "accept-encoding", "accept-language", "accept-charset", "user-agent",
    ]

    /// The fields whose syntax is a list: white space around commas and empty members have no meaning (RFC 9110
    /// section 5.6.1).
    private static let lists: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "prefer", "te",
    ]

    init(fields: [Field], isDecoded: Bool) {
        self.fields = fields
        self.isDecoded = isDecoded
    }

    /// The selection for a response that has arrived.
    ///
    /// - Parameters:
    ///   - vary: The names in its Vary field, in lower case.
    ///   - request: The fields of its request.
    ///   - isDecoded: Whether decoded content was requested.
    ///   - isShared: Whether users share the cache; if not, a response belongs to the credentials of its request.
    init(vary: [String], request: HTTPFields, isDecoded: Bool, isShared: Bool) {
        var names = Set(vary)
        if !isShared { names.insert("authorization") }
        self.init(
            fields: names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { name in
                Field(name: name, value: Self.value(of: name, in: request))
            },
            isDecoded: isDecoded
        )
    }

    /// Whether a request matches.
    func matches(_ request: HTTPFields) -> Bool {
        self.fields.allSatisfy { $0.value == Self.value(of: $0.name, in: request) }
    }

    var variant: StoredResponse.Variant {
        let fields = self.fields.map { "\($0.name)\($0.value.map { "=\($0)" } ?? "")" }
        return StoredResponse.Variant(text: "\(self.isDecoded ? "decoded" : "raw");\(fields.joined(separator: ";"))")
    }

    private static func value(of name: String, in request: HTTPFields) -> String? {
        guard let name = HTTPField.Name(name), request.contains(name) else { return nil }
        let normal = Self.normalized(request[fields: name], isList: Self.lists.contains(name.canonicalName))
        // As text, values that differ in bytes that are not UTF-8, or in how an accent is written, would be the same.
        guard Self.plain.contains(name.canonicalName), normal.allSatisfy({ $0 < 0x80 }) else {
            return Self.digest(of: normal)
        }
        return String(decoding: normal, as: UTF8.self)
    }

    /// Returns a digest of bytes that may be a secret, or not text, so that they can be compared.
    static func digest(of bytes: [UInt8]) -> String {
        "sha256-" + Hexadecimal.text(SHA256.hash(data: bytes))
    }

    /// Joins all lines of a field; of a list without white space around its commas.
    ///
    /// Any other value is compared as it is: RFC 9111 section 4.1 allows only changes that are known to leave its meaning
    /// unchanged.
    private static func normalized(_ fields: [HTTPField], isList: Bool) -> [UInt8] {
        let lines = fields.map { field in field.withUnsafeBytesOfValue { Array($0) } }
        guard isList else { return Array(lines.joined(separator: Array(", ".utf8))) }
        let parts = lines.flatMap { FieldList.parts(of: $0) }
        return Array(parts.joined(separator: CollectionOfOne(UInt8(ascii: ","))))
    }
}
