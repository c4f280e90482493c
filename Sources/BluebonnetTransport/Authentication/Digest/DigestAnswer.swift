// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The Digest credentials of one request, and the values that verify the server's proof (RFC 7616 sections 3.4 and
/// 3.5).
package struct DigestAnswer: Sendable {
    /// The parts of the request that are hashed.
    package struct Subject: Sendable {
        package var method: String
        /// The request target, exactly as it is sent.
        package var target: String
        /// The digest of the body; only `auth-int` needs it.
        package var bodyDigest: String?

        package init(method: String, target: String, bodyDigest: String? = nil) {
            self.method = method
            self.target = target
            self.bodyDigest = bodyDigest
        }
    }

    /// The value of the Authorization field.
    package let field: String
    package let ticket: DigestSession.Ticket
    private let algorithm: DigestAlgorithm
    private let quality: DigestChallenge.Quality?
    private let key: String
    private let target: String

    package init(_ session: DigestSession, user: String, password: String, _ subject: Subject) {
        let challenge = session.challenge
        let ticket = session.makeTicket()
        self.ticket = ticket
        self.algorithm = challenge.algorithm
        self.quality = challenge.quality
        self.target = subject.target
        self.key = Self.key(session, user: user, password: password)
        let digest = Self.response(
            self.algorithm,
            self.key,
            ticket,
            challenge.quality,
            "\(subject.method):\(subject.target)" + Self.suffix(challenge.quality, subject.bodyDigest)
        )
        self.field = Self.field(challenge, ticket, user: user, target: subject.target, response: digest)
    }

    /// Whether the `rspauth` of an `Authentication-Info` field proves that the server knows the password.
    ///
    /// - Parameters:
    ///   - parameters: The parameters of the field.
    ///   - bodyDigest: Returns the digest of the response's body; nil if the body is not available, in which case a
    ///     proof for `auth-int` is not checked.
    /// - Returns: False if there is a proof and it is wrong.
    package func accepts(
        _ parameters: [HTTPChallenge.Parameter],
        bodyDigest: (DigestAlgorithm.Hash) -> String?
    ) -> Bool {
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        guard let proof = value("rspauth") else { return true }
        // RFC 7616 section 3.5: the response repeats the request's cnonce and nc.
        if let nonce = value("cnonce"), !nonce.utf8.elementsEqual(self.ticket.clientNonce.utf8) { return false }
        if let count = value("nc"), UInt32(count, radix: 16) != self.ticket.count { return false }
        let quality = value("qop").flatMap { DigestChallenge.Quality(rawValue: $0.asciiLowercased) } ?? self.quality
        var digest: String?
        if quality == .integrity {
            guard let known = bodyDigest(self.algorithm.hash) else { return true }
            digest = known
        }
        let expected = Self.response(
            self.algorithm,
            self.key,
            self.ticket,
            quality,
            ":\(self.target)" + Self.suffix(quality, digest)
        )
        return expected.utf8.elementsEqual(proof.asciiLowercased.utf8)
    }

    // MARK: Hashes

    /// Returns H(A1), section 3.4.2.
    private static func key(_ session: DigestSession, user: String, password: String) -> String {
        let challenge = session.challenge
        let key = challenge.algorithm.digest("\(user):\(challenge.realm):\(password)")
        guard challenge.algorithm.isSession else { return key }
        // The nonce of the challenge, even after a `nextnonce`.
        return challenge.algorithm.digest("\(key):\(challenge.nonce):\(session.clientNonce)")
    }

    /// The part of A2 that covers the body, section 3.4.3.
    private static func suffix(_ quality: DigestChallenge.Quality?, _ bodyDigest: String?) -> String {
        quality == .integrity ? ":\(bodyDigest ?? "")" : ""
    }

    /// Returns KD(H(A1), …), section 3.4.1.
    private static func response(
        _ algorithm: DigestAlgorithm,
        _ key: String,
        _ ticket: DigestSession.Ticket,
        _ quality: DigestChallenge.Quality?,
        _ second: String
    ) -> String {
        let hash = algorithm.digest(second)
        guard let quality else { return algorithm.digest("\(key):\(ticket.nonce):\(hash)") }
        let count = Hexadecimal.text(ticket.count)
        return algorithm.digest("\(key):\(ticket.nonce):\(count):\(ticket.clientNonce):\(quality.rawValue):\(hash)")
    }

    // MARK: The field

    /// Encodes the field; section 3.4 says which values are quoted.
    private static func field(
        _ challenge: DigestChallenge,
        _ ticket: DigestSession.Ticket,
        user: String,
        target: String,
        response: String
    ) -> String {
        var parts = [
            self.userName(user, challenge), "realm=\(self.quoted(challenge.realm))", "uri=\(self.quoted(target))",
            "algorithm=\(challenge.algorithm.name)", "nonce=\(self.quoted(ticket.nonce))",
        ]
        if let quality = challenge.quality {
            parts += [
                "nc=\(Hexadecimal.text(ticket.count))", "cnonce=\(self.quoted(ticket.clientNonce))",
                "qop=\(quality.rawValue)",
            ]
        }
        parts.append("response=\"\(response)\"")
        if let opaque = challenge.opaque { parts.append("opaque=\(self.quoted(opaque))") }
        if challenge.hashesUser { parts.append("userhash=true") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// Encodes the user name: hashed if the server asks for it (section 3.4.4), escaped as in RFC 8187 if it cannot be
    /// quoted.
    private static func userName(_ user: String, _ challenge: DigestChallenge) -> String {
        if challenge.hashesUser {
            return "username=\"\(challenge.algorithm.digest("\(user):\(challenge.realm)"))\""
        }
        let isPlain = user.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        return isPlain ? "username=\(self.quoted(user))" : "username*=UTF-8''\(self.escaped(user))"
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            // The attr-char of RFC 8187 section 3.2.1.
            if byte.isTokenByte, !"*'%".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes.append(tripletOf: byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
