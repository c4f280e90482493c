// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Crypto
import SwiftASN1

/// The properties of a certificate that the engine's own rules need, parsed from its DER (RFC 5280 section 4.1).
///
/// The chain is verified elsewhere; this serves rules that the TLS library does not implement.
struct CertificateFacts: Sendable, Hashable {
    /// A certificate policy (RFC 5280 section 4.2.1.4).
    typealias Policy = ASN1ObjectIdentifier

    /// The certificate does not conform to RFC 5280.
    struct Unreadable: Error {}

    /// The size of an RSA key in bits; nil for other kinds of keys.
    var keyBitCount: Int?
    /// The SHA-256 digest of the SubjectPublicKeyInfo (RFC 7469 section 2.4).
    var publicKeyDigest = [UInt8]()
    /// Whether it is signed with MD5 or SHA-1.
    var hasBrokenSignature = false
    /// Whether it is signed with RSASSA-PSS (RFC 4055 section 3.1).
    var isSignedWithPSS = false
    /// Whether it has the subject alternative name extension.
    var hasAlternativeNames = false
    /// The DNS names among its alternative names, in lower case.
    var names = [String]()
    /// The IP addresses among its alternative names: 4 or 16 bytes each.
    var addresses = [[UInt8]]()
    /// The certificate policies it asserts, other than `anyPolicy`.
    var policies = Set<Policy>()
    /// Whether it constrains or maps policies.
    var constrainsPolicies = false, mapsPolicies = false

    init() {}

    /// Parses a certificate.
    ///
    /// - Parameter der: The certificate in DER.
    /// - Throws: ``Unreadable``, or an error of the DER parser.
    init(der: [UInt8]) throws {
        let body = try Self.children(of: try Self.children(of: try DER.parse(der)).first)
        // The version (tag 0) is present from version 2 on.
        let start = body.first?.identifier == Self.tag(0) ? 1 : 0
        guard body.count >= start + 6 else { throw Unreadable() }
        let signature = try Self.identifier(try Self.children(of: body[start + 1]).first)
        self.hasBrokenSignature = Self.broken.contains(signature)
        self.isSignedWithPSS = signature == Self.pss
        self.keyBitCount = try Self.keyBitCount(of: body[start + 5])
        self.publicKeyDigest = Array(SHA256.hash(data: body[start + 5].encodedBytes))
        guard let list = body[(start + 6)...].first(where: { $0.identifier == Self.tag(3) }) else { return }
        for node in try Self.children(of: try Self.children(of: list).first) {
            try self.read(try Self.children(of: node))
        }
    }

    /// Whether the certificate is valid for a host, by its alternative names only (RFC 9525).
    func includes(_ host: TLSHost) -> Bool {
        if let address = host.address { return self.addresses.contains(address) }
        guard let name = host.name else { return false }
        return self.names.contains { Self.matches($0, name) }
    }

    private static func matches(_ presented: String, _ host: String) -> Bool {
        let (presented, host) = (presented.utf8, host.utf8)
        guard presented.starts(with: "*.".utf8) else { return presented.elementsEqual(host) }
        // RFC 9525 section 6.3: the asterisk must be the whole first label, and matches one label.
        guard let dot = host.firstIndex(of: UInt8(ascii: ".")), dot > host.startIndex else { return false }
        return presented.dropFirst().elementsEqual(host[dot...])
    }

    private mutating func read(_ extensionParts: [ASN1Node]) throws {
        guard let last = extensionParts.last else { throw Unreadable() }
        let value = try ASN1OctetString(derEncoded: last).bytes
        switch try Self.identifier(extensionParts.first) {
        case [2, 5, 29, 17]:
            self.hasAlternativeNames = true
            for name in try Self.children(of: try DER.parse(value)) {
                guard name.identifier == Self.tag(2) || name.identifier == Self.tag(7) else { continue }
                guard case .primitive(let bytes) = name.content else { throw Unreadable() }
                if name.identifier == Self.tag(7) {
                    self.addresses.append(Array(bytes))
                } else if bytes.allSatisfy({ $0 < 0x80 }) {
                    // Other bytes are not IA5String.
                    self.names.append(String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self))
                }
            }
        case [2, 5, 29, 32]:
            for policy in try Self.children(of: try DER.parse(value)) {
                self.policies.insert(try Self.identifier(try Self.children(of: policy).first))
            }
            self.policies.remove([2, 5, 29, 32, 0])
        case [2, 5, 29, 33]: self.mapsPolicies = true
        case [2, 5, 29, 36]: self.constrainsPolicies = true
        default: break
        }
    }

    /// Returns the size of the modulus in bits (RFC 8017 section A.1.1).
    private static func keyBitCount(of node: ASN1Node) throws -> Int? {
        let parts = try Self.children(of: node)
        let algorithm = try Self.identifier(try Self.children(of: parts.first).first)
        // rsaEncryption and id-RSASSA-PSS keys have the same structure.
        guard algorithm == [1, 2, 840, 113549, 1, 1, 1] || algorithm == Self.pss else {
            return nil
        }
        guard let last = parts.last else { throw Unreadable() }
        let key = try DER.parse(try ASN1BitString(derEncoded: last).bytes)
        guard case .primitive(let modulus)? = try Self.children(of: key).first?.content else { throw Unreadable() }
        let digits = modulus.drop { $0 == 0 }
        return digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
    }

    private static let pss: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 10]

    private static let broken: Set<ASN1ObjectIdentifier> = [
        // RSA with MD2, MD4, MD5 and SHA-1; ECDSA with SHA-1; DSA with SHA-1.
        [1, 2, 840, 113549, 1, 1, 2], [1, 2, 840, 113549, 1, 1, 3], [1, 2, 840, 113549, 1, 1, 4],
        [1, 2, 840, 113549, 1, 1, 5], [1, 2, 840, 10045, 4, 1], [1, 2, 840, 10040, 4, 3], [1, 3, 14, 3, 2, 29],
    ]

    private static func tag(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }

    private static func identifier(_ node: ASN1Node?) throws -> ASN1ObjectIdentifier {
        guard let node else { throw Unreadable() }
        return try ASN1ObjectIdentifier(derEncoded: node)
    }

    private static func children(of node: ASN1Node?) throws -> [ASN1Node] {
        guard case .constructed(let nodes)? = node?.content else { throw Unreadable() }
        return Array(nodes)
    }
}
