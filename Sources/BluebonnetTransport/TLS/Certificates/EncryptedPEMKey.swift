// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import SwiftASN1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The encryption of a private key in PEM (`EncryptedPrivateKeyInfo`, RFC 7468 section 11), and its cost.
///
/// The TLS library decrypts such a key itself, with up to 100,000,000 rounds of key derivation, which take minutes.
/// Older formats, which name their cipher in a header, derive a key in one round.
enum EncryptedPEMKey {
    private static let label = "-----BEGIN ENCRYPTED PRIVATE KEY-----"

    /// Checks the encryption of each key and its rounds.
    ///
    /// A block that cannot be parsed is left to the TLS library, which cannot parse it either.
    ///
    /// - Parameter pem: The content of a PEM file.
    /// - Throws: ``PKCS12Contents/Failure/unknownKeyEncryption`` if the TLS library cannot decrypt a key, whatever the
    ///   passphrase; ``PKCS12Contents/Failure/tooManyRounds`` if a key needs more than those of one key in a PKCS #12
    ///   file;
    ///   ``PKCS12Contents/Failure/notBase64`` if a block contains something else, for example header lines, which RFC
    ///   7468 section 2 does not allow. The TLS library knows headers that encrypt the block once more, with the rounds
    ///   inside.
    static func check(_ pem: [UInt8]) throws(PKCS12Contents.Failure) {
        var rest = pem[...]
        while let label = rest.firstRange(of: Self.label.utf8) {
            rest = rest[label.upperBound...]
            let text = rest.prefix { $0 != UInt8(ascii: "-") }
            let isWhole = rest[text.endIndex...].prefix(5).allSatisfy { $0 == UInt8(ascii: "-") }
            guard isWhole, text.allSatisfy(Self.isBase64) else { throw .notBase64 }
            let rounds: Int
            do {
                rounds = try Self.rounds(ofBlock: Array(text))
            } catch let failure as PKCS12Contents.Failure {
                throw failure
            } catch {
                continue
            }
            guard rounds <= PKCS12RoundBudget.partLimit else { throw .tooManyRounds }
        }
    }

    /// Whether a byte may occur in the text of a block.
    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case _ where byte.isASCIIAlphanumeric: true
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    /// Returns the iteration count of a block.
    private static func rounds(ofBlock text: [UInt8]) throws -> Int {
        guard let data = Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters) else { throw ASN1Damage() }
        let algorithm = try BER.parse(Self.firstElement(of: Array(data))).child(0)
        let scheme = try ASN1ObjectIdentifier(berEncoded: try algorithm.child(0))
        let parameters = try algorithm.child(1)
        // PBKDF2 (RFC 8018 section A.2) and the schemes of PKCS #12 (RFC 7292 appendix C) begin with salt and count.
        guard scheme == [1, 2, 840, 113549, 1, 5, 13] else {
            guard Self.schemes.contains(scheme) else { throw PKCS12Contents.Failure.unknownKeyEncryption }
            return try Int(berEncoded: try parameters.child(1))
        }
        // PBES2 has an algorithm of its own for the derivation (RFC 8018 section A.4).
        let (derivation, cipher) = (try parameters.child(0), try parameters.child(1))
        guard try ASN1ObjectIdentifier(berEncoded: try derivation.child(0)) == [1, 2, 840, 113549, 1, 5, 12],
            try Self.ciphers.contains(ASN1ObjectIdentifier(berEncoded: try cipher.child(0)))
        else { throw PKCS12Contents.Failure.unknownKeyEncryption }
        let values = try derivation.child(1).children()
        guard values.count >= 2 else { throw ASN1Damage() }
        if let function = values.dropFirst(2).last(where: { $0.identifier == .sequence }) {
            guard try Self.functions.contains(ASN1ObjectIdentifier(berEncoded: try function.child(0)))
            else { throw PKCS12Contents.Failure.unknownKeyEncryption }
        }
        return try Int(berEncoded: values[1])
    }

    // What the TLS library can decrypt.

    /// The schemes of PKCS #12: RC4 of 128 bits, Triple DES, and RC2 of 40 bits.
    private static let schemes: [ASN1ObjectIdentifier] = [
        [1, 2, 840, 113549, 1, 12, 1, 1], [1, 2, 840, 113549, 1, 12, 1, 3], [1, 2, 840, 113549, 1, 12, 1, 6],
    ]
    /// The ciphers of PBES2: RC2, Triple DES, and AES of 128, 192 and 256 bits, all with CBC.
    private static let ciphers: [ASN1ObjectIdentifier] = [
        [1, 2, 840, 113549, 3, 2], [1, 2, 840, 113549, 3, 7], [2, 16, 840, 1, 101, 3, 4, 1, 2],
        [2, 16, 840, 1, 101, 3, 4, 1, 22], [2, 16, 840, 1, 101, 3, 4, 1, 42],
    ]
    /// The pseudorandom functions of PBKDF2: HMAC with SHA-1 and with SHA-256.
    private static let functions: [ASN1ObjectIdentifier] = [
        [1, 2, 840, 113549, 2, 7], [1, 2, 840, 113549, 2, 9],
    ]

    /// Returns the first element of some bytes: the TLS library ignores what follows it.
    private static func firstElement(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        // X.690 section 8.1.3: a length below 128 is one byte; another one follows a byte with the count of its bytes.
        guard bytes.count > 1, bytes[1] >= 0x80 else { return bytes.prefix(2 + Int(bytes.dropFirst().first ?? 0)) }
        let digits = bytes.dropFirst(2).prefix(Int(bytes[1] & 0x7F))
        guard (1...4).contains(digits.count) else { return bytes[...] }
        return bytes.prefix(2 + digits.count + digits.reduce(0) { $0 << 8 | Int($1) })
    }
}
