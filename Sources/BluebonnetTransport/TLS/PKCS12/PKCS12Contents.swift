// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// Traverses the nested structures of a PKCS #12 file and collects the contents of its bags (RFC 7292 section 4).
struct PKCS12Contents {
    /// Why a PKCS #12 file cannot be used.
    enum Failure: String, Error {
        case wrongPassphrase = "the passphrase is wrong"
        case noIntegrity = "it is not protected by a passphrase"
        case oldCipher =
            "it is encrypted with RC2 or Triple DES; “openssl pkcs12 -legacy” can read it, and write a new one"
        case unknownCipher = "it is protected in a way that is not supported"
        case unknownKeyEncryption =
            "its encryption is not supported (for example scrypt); “openssl pkcs8 -topk8” can write another one"
        case tooManyRounds = "deriving a key takes too long, more than 2,000,000 rounds"
        case tooManyRoundsInAll = "deriving its keys takes too long, more than 6,000,000 rounds in all"
        case notBase64 = "there is something besides Base64 in its block, for example header lines"
        case tooLarge = "it is larger than 1 MiB"
    }

    struct Item {
        var bytes: [UInt8]
        /// The local key ID, which matches a certificate with its key (RFC 2985 section 5.5.2).
        var identifier: [UInt8]?
    }

    private(set) var keys = [Item]()
    var certificates = [Item]()
    private let passphrase: String
    private var budget = PKCS12RoundBudget()

    /// The maximum size of a file.
    ///
    /// It also bounds the parts, bags and certificates: nothing in a file is larger when it is decrypted, and the parser
    /// refuses structures that nest more than 50 levels.
    private static let byteLimit = 1024 * 1024

    /// Bytes in a file that may be encrypted.
    private struct Sealed {
        var bytes: [UInt8]
        var cipher: PKCS5Encryption?

        func open(_ passphrase: String) throws -> [UInt8] {
            try self.cipher?.decrypt(self.bytes, passphrase: passphrase) ?? self.bytes
        }
    }

    init(passphrase: String) {
        self.passphrase = passphrase
    }

    mutating func read(_ bytes: [UInt8]) throws {
        guard bytes.count <= Self.byteLimit else { throw Failure.tooLarge }
        let file = try BER.parse(bytes).children()
        guard file.count >= 2 else { throw ASN1Damage() }
        let safe = try Self.content(of: file[1], type: .data)
        let octets = Array(try ASN1OctetString(berEncoded: safe).bytes)
        guard file.count > 2 else { throw Failure.noIntegrity }
        let mac = try PKCS12Mac(file[2], passphrase: self.passphrase, budget: &self.budget)
        // The rounds of all parts are counted before a key is derived for the first.
        var parts = [Sealed]()
        for part in try BER.parse(octets).children() { parts.append(try self.part(part)) }
        guard mac.verify(octets) else { throw Failure.wrongPassphrase }
        for part in parts { try self.readBags(try part.open(self.passphrase)) }
    }

    /// Parses a part.
    private mutating func part(_ part: ASN1Node) throws -> Sealed {
        switch try ASN1ObjectIdentifier(berEncoded: try part.child(0)) {
        case .data:
            let content = try Self.content(of: part, type: .data)
            return Sealed(bytes: Array(try ASN1OctetString(berEncoded: content).bytes), cipher: nil)
        case .encryptedData:
            let info = try Self.content(of: part, type: .encryptedData).child(1)
            let cipher = try PKCS5Encryption(try info.child(1), budget: &self.budget)
            guard case .primitive(let sealed) = try info.child(2).content else { throw Failure.unknownCipher }
            return Sealed(bytes: Array(sealed), cipher: cipher)
        default:
            throw Failure.unknownCipher
        }
    }

    private mutating func readBags(_ bytes: [UInt8]) throws {
        var keys = [(key: Sealed, identifier: [UInt8]?)]()
        for bag in try BER.parse(bytes).children() {
            let value = try bag.child(1).child(0)
            let identifier = try Self.localKeyIdentifier(of: bag)
            switch try ASN1ObjectIdentifier(berEncoded: try bag.child(0)) {
            case .keyBag:
                keys.append((Sealed(bytes: Array(value.encodedBytes), cipher: nil), identifier))
            case .shroudedKeyBag:
                let cipher = try PKCS5Encryption(try value.child(0), budget: &self.budget)
                let sealed = try ASN1OctetString(berEncoded: try value.child(1)).bytes
                keys.append((Sealed(bytes: Array(sealed), cipher: cipher), identifier))
            case .certificateBag:
                guard try ASN1ObjectIdentifier(berEncoded: try value.child(0)) == .x509Certificate else { continue }
                let octets = try ASN1OctetString(berEncoded: try value.child(1).child(0)).bytes
                self.certificates.append(Item(bytes: Array(octets), identifier: identifier))
            default:
                continue
            }
        }
        for (key, identifier) in keys {
            self.keys.append(Item(bytes: try key.open(self.passphrase), identifier: identifier))
        }
    }

    /// Returns the content of a `ContentInfo` of this type.
    private static func content(of info: ASN1Node, type: ASN1ObjectIdentifier) throws -> ASN1Node {
        guard try ASN1ObjectIdentifier(berEncoded: try info.child(0)) == type else { throw Failure.noIntegrity }
        return try info.child(1).child(0)
    }

    private static func localKeyIdentifier(of bag: ASN1Node) throws -> [UInt8]? {
        guard let attributes = try bag.children().dropFirst(2).first else { return nil }
        for attribute in try attributes.children()
        where try ASN1ObjectIdentifier(berEncoded: try attribute.child(0)) == .localKeyID {
            return Array(try attribute.child(1).child(0).encodedBytes)
        }
        return nil
    }
}

/// A structure lacks a required part.
struct ASN1Damage: Error {}

extension ASN1Node {
    /// Returns the children of a constructed node.
    func children() throws -> [ASN1Node] {
        guard case .constructed(let nodes) = self.content else { throw ASN1Damage() }
        return Array(nodes)
    }

    /// Returns one child of a constructed node.
    func child(_ index: Int) throws -> ASN1Node {
        let nodes = try self.children()
        guard nodes.indices.contains(index) else { throw ASN1Damage() }
        return nodes[index]
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let data: Self = [1, 2, 840, 113549, 1, 7, 1]
    fileprivate static let encryptedData: Self = [1, 2, 840, 113549, 1, 7, 6]
    fileprivate static let keyBag: Self = [1, 2, 840, 113549, 1, 12, 10, 1, 1]
    fileprivate static let shroudedKeyBag: Self = [1, 2, 840, 113549, 1, 12, 10, 1, 2]
    fileprivate static let certificateBag: Self = [1, 2, 840, 113549, 1, 12, 10, 1, 3]
    fileprivate static let x509Certificate: Self = [1, 2, 840, 113549, 1, 9, 22, 1]
    fileprivate static let localKeyID: Self = [1, 2, 840, 113549, 1, 9, 21]
}
