// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore

/// The server's proof that it knows the password: the Authentication-Info field (RFC 7616 section 3.5).
enum ServerProof {
    /// Checks the proof in a response to a Digest answer, and notes the nonce for the next one.
    ///
    /// - Parameters:
    ///   - response: The response; one without the field is accepted.
    ///   - answer: The answer; any other than Digest needs no proof.
    /// - Throws: `SessionError` with `authenticationFailed` if the proof is wrong; the body is abandoned then.
    static func check(_ response: StreamedResponse, to answer: CredentialAnswer) throws(SessionError) {
        // The cache may have sent the request again, with an answer of its own.
        guard let digest = (DigestUser.answer(in: response.request) ?? answer).digest,
            let field = response.headers[.authenticationInfo],
            field.utf8.count <= ChallengeParser.largestByteCount
        else { return }
        var parser = ChallengeParser(Array(field.utf8))
        let parameters = parser.parameters() ?? []
        guard digest.answer.accepts(parameters, bodyDigest: { Self.bodyDigest(of: response, $0) }) else {
            response.body.abandon()
            throw .authentication("the server's proof that it knows the password is wrong", response)
        }
        if let nonce = parameters.first(where: { $0.name == "nextnonce" })?.value {
            digest.session.advance(to: nonce, after: digest.answer.ticket)
        }
    }

    /// The digest of the body that the server has sent; nil if that body is not available.
    private static func bodyDigest(of response: StreamedResponse, _ hash: DigestAlgorithm.Hash) -> String? {
        var hasher = DigestHasher(hash)
        if let status = response.cacheStatus?.forwardStatus, status != response.status.code {
            // The body is from the store. The field belongs to the response that the cache has received: a 304 has no
            // body, a 206 only the rest of the one that is delivered.
            return status == 304 ? hasher.finalize() : nil
        }
        guard let bytes = response.body.collectedBytes else { return nil }
        bytes.withUnsafeReadableBytes { hasher.update($0) }
        return hasher.finalize()
    }
}
