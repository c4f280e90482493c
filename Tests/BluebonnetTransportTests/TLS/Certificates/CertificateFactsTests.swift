// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import NIOSSL
import Testing

@testable import BluebonnetTransport

@Suite struct CertificateFactsTests {
    private static func der(_ kind: CertificateKind) throws -> [UInt8] {
        let identity = try CertificateAuthority.shared().makeIdentity(kind)
        return try #require(try NIOSSLCertificate.fromPEMBytes(identity.certificatePEM).first).toDERBytes()
    }

    @Test func `reads what the rules are about`() throws {
        let facts = try CertificateFacts(der: Self.der(.valid))
        #expect(facts.keyBitCount == nil)
        #expect(!facts.hasBrokenSignature)
        #expect(facts.hasAlternativeNames)
        #expect(facts.addresses.map(\.count) == [4, 16])
        #expect(try CertificateFacts(der: Self.der(.weakKey)).keyBitCount == 1024)
        #expect(try CertificateFacts(der: Self.der(.weakSignature)).hasBrokenSignature)
        #expect(try !CertificateFacts(der: Self.der(.commonNameOnly)).hasAlternativeNames)
        let policy = try CertificateFacts(der: Self.der(.metPolicy))
        #expect(policy.constrainsPolicies && policy.policies.count == 1)
    }

    @Test func `bytes that are cut or damaged are not read, or read as something else, and no more`() throws {
        for kind in [CertificateKind.valid, .weakKey, .metPolicy] {
            let der = try Self.der(kind)
            for count in der.indices {
                #expect(throws: (any Error).self) { try CertificateFacts(der: Array(der.prefix(count))) }
            }
            for index in der.indices {
                for mask in [0xFF, 0x01, 0x80] as [UInt8] {
                    var damaged = der
                    damaged[index] ^= mask
                    _ = try? CertificateFacts(der: damaged)
                }
            }
        }
    }

    @Test func `a cache forgets rather than grow`() throws {
        let cache = CertificateFactsCache(limit: 2)
        for _ in 0..<5 { #expect(cache.facts(of: try Self.der(.valid)) != nil) }
        #expect(cache.count <= 2)
        #expect(cache.facts(of: [1, 2, 3]) == nil)
    }
}
