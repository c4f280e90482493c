// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import CryptoExtras
import SwiftASN1

/// Passphrase-based encryption: PBES2 with PBKDF2 and AES-CBC (RFC 8018 section 6.2).
struct PKCS5Encryption {
    private let salt: [UInt8]
    private let rounds: Int
    private let hash: KDF.Insecure.PBKDF2.HashFunction
    private let keyByteCount: Int
    private let initialVector: [UInt8]

    /// Parses an `AlgorithmIdentifier`, and counts the rounds of its derivation.
    init(_ node: ASN1Node, budget: inout PKCS12RoundBudget) throws {
        let scheme = try ASN1ObjectIdentifier(berEncoded: try node.child(0))
        guard scheme == [1, 2, 840, 113549, 1, 5, 13] else {
            // PKCS #12's own schemes (RFC 7292 appendix C) all use RC2, RC4 or Triple DES.
            throw PKCS12Contents.Failure.oldCipher
        }
        let (derivation, cipher) = (try node.child(1).child(0), try node.child(1).child(1))
        guard try ASN1ObjectIdentifier(berEncoded: try derivation.child(0)) == [1, 2, 840, 113549, 1, 5, 12] else {
            throw PKCS12Contents.Failure.unknownCipher
        }
        let parameters = try derivation.child(1).children()
        guard parameters.count >= 2 else { throw ASN1Damage() }
        self.salt = Array(try ASN1OctetString(berEncoded: parameters[0]).bytes)
        self.rounds = try Int(berEncoded: parameters[1])
        let (hash, digestByteCount) = try Self.hash(parameters.dropFirst(2).last { $0.identifier == .sequence })
        self.hash = hash
        switch try ASN1ObjectIdentifier(berEncoded: try cipher.child(0)) {
        case [2, 16, 840, 1, 101, 3, 4, 1, 2]: self.keyByteCount = 16
        case [2, 16, 840, 1, 101, 3, 4, 1, 22]: self.keyByteCount = 24
        case [2, 16, 840, 1, 101, 3, 4, 1, 42]: self.keyByteCount = 32
        case [1, 2, 840, 113549, 3, 7], [1, 2, 840, 113549, 3, 2]: throw PKCS12Contents.Failure.oldCipher
        default: throw PKCS12Contents.Failure.unknownCipher
        }
        self.initialVector = Array(try ASN1OctetString(berEncoded: try cipher.child(1)).bytes)
        guard self.initialVector.count == 16 else { throw ASN1Damage() }
        // PBKDF2 performs all rounds for each block of the key (RFC 8018 section 5.2).
        try budget.spend(
            rounds: self.rounds,
            blocks: (self.keyByteCount + digestByteCount - 1) / digestByteCount
        )
    }

    /// Decrypts bytes.
    func decrypt(_ bytes: some Collection<UInt8>, passphrase: String) throws -> [UInt8] {
        let bytes = Array(bytes)
        guard !bytes.isEmpty, bytes.count.isMultiple(of: 16) else { throw ASN1Damage() }
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(passphrase.utf8),
            salt: self.salt,
            using: self.hash,
            outputByteCount: self.keyByteCount,
            unsafeUncheckedRounds: self.rounds
        )
        return Array(try AES._CBC.decrypt(bytes, using: key, iv: AES._CBC.IV(ivBytes: self.initialVector)))
    }

    /// Returns the pseudorandom function of PBKDF2 and the size of its digests; HMAC with SHA-1 if none is given.
    private static func hash(_ node: ASN1Node?) throws -> (KDF.Insecure.PBKDF2.HashFunction, byteCount: Int) {
        guard let node else { return (.insecureSHA1, 20) }
        switch try ASN1ObjectIdentifier(berEncoded: try node.child(0)) {
        case [1, 2, 840, 113549, 2, 7]: return (.insecureSHA1, 20)
        case [1, 2, 840, 113549, 2, 9]: return (.sha256, 32)
        case [1, 2, 840, 113549, 2, 10]: return (.sha384, 48)
        case [1, 2, 840, 113549, 2, 11]: return (.sha512, 64)
        default: throw PKCS12Contents.Failure.unknownCipher
        }
    }
}
