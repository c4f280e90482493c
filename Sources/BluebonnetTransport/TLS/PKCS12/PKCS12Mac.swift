// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import SwiftASN1

/// The MAC that proves the integrity of a PKCS #12 file and the passphrase (RFC 7292 section 4 and appendix B).
struct PKCS12Mac {
    private enum Digest {
        case sha1, sha256, sha384, sha512
    }

    private let digest: Digest
    private let code: [UInt8]
    private let salt: [UInt8]
    private let rounds: Int
    /// The encodings of the passphrase to try.
    private let passwords: [[UInt8]]

    /// Parses a `MacData`, and counts the rounds of its derivations.
    init(_ node: ASN1Node, passphrase: String, budget: inout PKCS12RoundBudget) throws {
        let algorithm = try ASN1ObjectIdentifier(berEncoded: try node.child(0).child(0).child(0))
        switch algorithm {
        case [1, 3, 14, 3, 2, 26]: self.digest = .sha1
        case [2, 16, 840, 1, 101, 3, 4, 2, 1]: self.digest = .sha256
        case [2, 16, 840, 1, 101, 3, 4, 2, 2]: self.digest = .sha384
        case [2, 16, 840, 1, 101, 3, 4, 2, 3]: self.digest = .sha512
        default: throw PKCS12Contents.Failure.unknownCipher
        }
        self.code = Array(try ASN1OctetString(berEncoded: try node.child(0).child(1)).bytes)
        self.salt = Array(try ASN1OctetString(berEncoded: try node.child(1)).bytes)
        self.rounds = try node.children().count > 2 ? try Int(berEncoded: try node.child(2)) : 1
        let characters: [UInt8] =
            passphrase.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] } + [0, 0]
            as [UInt8]
        // Programs differ on whether an empty passphrase is encoded as a NUL or as nothing.
        self.passwords = passphrase.isEmpty ? [characters, []] : [characters]
        try budget.spend(rounds: self.rounds, blocks: self.passwords.count)
    }

    /// Whether the MAC is valid under the passphrase.
    func verify(_ content: [UInt8]) -> Bool {
        self.passwords.contains { password in
            switch self.digest {
            case .sha1: self.verify(content, password, using: Insecure.SHA1.self)
            case .sha256: self.verify(content, password, using: SHA256.self)
            case .sha384: self.verify(content, password, using: SHA384.self)
            case .sha512: self.verify(content, password, using: SHA512.self)
            }
        }
    }

    private func verify<Hash: HashFunction>(_ content: [UInt8], _ password: [UInt8], using: Hash.Type) -> Bool {
        let key = SymmetricKey(data: self.key(password, using: Hash.self))
        return HMAC<Hash>.isValidAuthenticationCode(self.code, authenticating: content, using: key)
    }

    /// Derives the MAC key (appendix B.2 with ID 3; one block is enough, because the key is as long as the digest).
    private func key<Hash: HashFunction>(_ password: [UInt8], using: Hash.Type) -> [UInt8] {
        let block = Hash.blockByteCount
        func filled(_ bytes: [UInt8]) -> [UInt8] {
            guard !bytes.isEmpty else { return [] }
            let count = (bytes.count + block - 1) / block * block
            return (0..<count).map { bytes[$0 % bytes.count] }
        }
        var state = Array(Hash.hash(data: [UInt8](repeating: 3, count: block) + filled(self.salt) + filled(password)))
        for _ in 1..<Swift.max(1, self.rounds) { state = Array(Hash.hash(data: state)) }
        return state
    }
}
