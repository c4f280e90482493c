// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// In the context of a request: the fields other than Authorization that an ``Authenticator`` has added, for a cache,
/// which must tell accounts apart.
struct TokenFields: Sendable {
    private let names: Set<HTTPField.Name>

    /// The fields that an authorized request has, and the request before it does not; nil if there are none.
    init?(of authorized: Request, addedTo request: Request) {
        let added = authorized.headers.lazy.filter { $0.name != .authorization && !request.headers.contains($0) }
        guard !added.isEmpty else { return nil }
        self.names = Set(added.map(\.name))
    }

    /// The fields of a request by which a cache tells accounts apart: a digest of the token's fields counts as the
    /// Authorization field.
    static func selectingFields(of request: Request) -> HTTPFields {
        var fields = DigestUser.selectingFields(of: request)
        guard !request.context.isEmpty, let names = request.context[TokenFields.self]?.names else { return fields }
        var bytes: [UInt8] = []
        for field in request.headers where field.name == .authorization || names.contains(field.name) {
            // Neither a name nor a value holds the separator.
            bytes += Array(field.name.canonicalName.utf8) + [0]
            field.withUnsafeBytesOfValue { bytes.append(contentsOf: $0) }
            bytes.append(0)
        }
        fields[.authorization] = "Token-Fields \(VariantSelection.digest(of: bytes))"
        return fields
    }
}
