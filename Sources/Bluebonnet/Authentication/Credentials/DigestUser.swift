// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// In the context of a request: the user whose password its Digest field proves, for a cache.
///
/// The field itself differs in each request. Only the session records the user, with the field that it has made from the
/// password. The user name in a field that the program has set proves nothing.
struct DigestUser: Sendable {
    private let field: String
    private let credential: Credential
    private let realm: String

    /// The user of an answer; nil if it is not made with Digest.
    init?(_ answer: CredentialAnswer) {
        guard answer.digest != nil else { return nil }
        self.field = answer.field
        self.credential = answer.credential
        self.realm = answer.space.realm
    }

    /// The fields of a request by which a cache tells users apart: a Digest field of the session is replaced by a digest
    /// of realm, user name and password, which is the same for each request of the user.
    static func selectingFields(of request: Request) -> HTTPFields {
        guard !request.context.isEmpty, let user = request.context[DigestUser.self],
            let field = request.headers[.authorization], field.utf8.elementsEqual(user.field.utf8),
            case .password(let name, let password) = user.credential.kind
        else { return request.headers }
        // Neither a realm nor a user name holds the separator.
        let parts = [Array(user.realm.utf8), Array(name.utf8), Array(password.utf8)]
        var fields = request.headers
        fields[.authorization] = "Digest-User \(VariantSelection.digest(of: Array(parts.joined(separator: [0]))))"
        return fields
    }
}
