// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// In the context of a request: the Digest answer that it carries, for a cache, which must know the user.
///
/// The field itself differs in each request. Only the session records the user, with the field that it has made from the
/// password. The user name in a field that the program has set proves nothing.
struct DigestUser: Sendable {
    private let answer: CredentialAnswer

    /// The user of an answer; nil if it is not made with Digest.
    init?(_ answer: CredentialAnswer) {
        guard answer.digest != nil else { return nil }
        self.answer = answer
    }

    /// The answer that a request carries; nil if its field is not one of the session.
    static func answer(in request: Request) -> CredentialAnswer? {
        guard !request.context.isEmpty, let answer = request.context[DigestUser.self]?.answer,
            let field = request.headers[.authorization], field.utf8.elementsEqual(answer.field.utf8)
        else { return nil }
        return answer
    }

    /// The fields of a request by which a cache tells users apart: a Digest field of the session is replaced by a digest
    /// of realm, user name and password, which is the same for each request of the user.
    static func selectingFields(of request: Request) -> HTTPFields {
        guard let answer = Self.answer(in: request),
            case .password(let name, let password) = answer.credential.kind
        else { return request.headers }
        // Neither a realm nor a user name holds the separator.
        let parts = [Array(answer.space.realm.utf8), Array(name.utf8), Array(password.utf8)]
        var fields = request.headers
        fields[.authorization] = "Digest-User \(VariantSelection.digest(of: Array(parts.joined(separator: [0]))))"
        return fields
    }
}

extension Request {
    /// The request to send once more: no two requests may have the same number under a nonce (RFC 7616 section 3.4).
    func withNextDigest() -> Request {
        guard let answer = DigestUser.answer(in: self)?.renewed(for: self.method) else { return self }
        var request = self
        request.headers[.authorization] = answer.field
        request.context[DigestUser.self] = DigestUser(answer)
        return request
    }
}
