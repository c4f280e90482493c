// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The cost of decrypting a private key in PEM (`EncryptedPrivateKeyInfo`, RFC 7468 section 11).
///
/// The TLS library decrypts such a key itself, with up to 100,000,000 rounds of key derivation, which take minutes.
/// Older formats, which name their cipher in a header, derive a key in one round.
enum EncryptedPEMKey {
    private static let label = "-----BEGIN ENCRYPTED PRIVATE KEY-----"

    /// Checks the rounds of each encrypted key.
    ///
    /// A block that cannot be parsed is left to the TLS library, which cannot parse it either.
    ///
    /// - Parameter pem: The content of a PEM file.
    /// - Throws: ``PKCS12Contents/Failure/tooManyRounds`` if a key needs more than those of one key in a PKCS #12 file;
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
            guard let rounds = try? Self.rounds(ofBlock: Array(text)) else { continue }
            guard rounds <= PKCS12RoundBudget.partLimit else { throw .tooManyRounds }
        }
    }

    /// Whether a byte may occur in the text of a block.
    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    /// Returns the iteration count of a block.
    private static func rounds(ofBlock text: [UInt8]) throws -> Int {
        guard let data = Data(base64Encoded: Data(text), options: .ignoreUnknownCharacters) else { throw ASN1Damage() }
        let algorithm = try BER.parse(Self.firstElement(of: Array(data))).child(0)
        var parameters = try algorithm.child(1)
        if try ASN1ObjectIdentifier(berEncoded: try algorithm.child(0)) == [1, 2, 840, 113549, 1, 5, 13] {
            // PBES2 has an algorithm of its own for the derivation (RFC 8018 section A.4).
            parameters = try parameters.child(0).child(1)
        }
        // PBKDF2 (RFC 8018 section A.2) and the schemes of PKCS #12 (RFC 7292 appendix C) begin with salt and count.
        return try Int(berEncoded: try parameters.child(1))
    }

    /// Returns the first element of some bytes: the TLS library ignores what follows it.
    private static func firstElement(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        // X.690 section 8.1.3: a length below 128 is one byte; another one follows a byte with the count of its bytes.
        guard bytes.count > 1, bytes[1] >= 0x80 else { return bytes.prefix(2 + Int(bytes.dropFirst().first ?? 0)) }
        let digits = bytes.dropFirst(2).prefix(Int(bytes[1] & 0x7F))
        guard (1...4).contains(digits.count) else { return bytes[...] }
        return bytes.prefix(2 + digits.count + digits.reduce(0) { $0 << 8 | Int($1) })
    }
}
