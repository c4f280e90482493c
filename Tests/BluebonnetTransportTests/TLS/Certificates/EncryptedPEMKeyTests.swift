// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluebonnetTransport

/// What an encrypted private key in PEM may cost, with its passphrase known to the attacker.
@Suite(.timeLimit(.minutes(1))) struct EncryptedPEMKeyTests {
    private typealias DER = PKCS12BundleTests

    private static let begin = "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
    private static let end = "\n-----END ENCRYPTED PRIVATE KEY-----\n"

    /// A key that asks for too many rounds.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var algorithm: [UInt8]
        /// What comes before the key in the file.
        var prefix = ""
        /// The bytes that follow the structure in its block.
        var trailer: [UInt8] = []

        static let all: [Case] = [
            Case(testDescription: "one round too many", algorithm: DER.cipher(2_000_001, 9)),
            Case(testDescription: "the most that the TLS library performs", algorithm: DER.cipher(100_000_000, 9)),
            Case(testDescription: "HMAC with SHA-1", algorithm: DER.cipher(2_000_001, 7)),
            Case(testDescription: "Triple DES in the scheme of PKCS #12", algorithm: tripleDES(2_000_001)),
            Case(
                testDescription: "bytes after the structure",
                algorithm: DER.cipher(2_000_001, 9),
                trailer: [0, 1, 2]
            ),
            Case(
                testDescription: "a block before it that cannot be parsed",
                algorithm: DER.cipher(2_000_001, 9),
                prefix: begin + "AAAA" + end
            ),
        ]
    }

    @Test(.bug(id: "F285"), arguments: Case.all)
    func `an encrypted key that asks for too many rounds is refused before a key is derived`(_ example: Case) throws {
        let sealed = DER.node(0x04, .init(repeating: 1, count: 16))
        let key = Data(DER.node(0x30, example.algorithm + sealed) + example.trailer)
        let text = key.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = example.prefix + Self.begin + text + Self.end
        let identity = ClientIdentity.pem(
            certificates: .file(try ClientIdentityTests.fixture("client.pem")),
            key: .bytes(Array(pem.utf8)),
            passphrase: "secret"
        )
        let reason = "cannot be read: deriving a key takes too long, more than 2,000,000 rounds"
        let time = ContinuousClock().measure {
            let error = #expect(throws: TransportError.self) { try identity.check() }
            #expect(error?.code == .tlsFailed)
            #expect(error?.reason.hasSuffix(reason) == true, "\(error?.reason ?? "")")
        }
        #expect(time < .seconds(1))
    }

    /// What precedes the key in its block.
    struct Header: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String

        static let all = [
            Header(
                testDescription: "the header of another encryption",
                text: "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,4E8466CC88BAE0801863282239BFB753\n\n"
            ),
            Header(testDescription: "a header without a dash", text: "Comment: key\n\n"),
            // The TLS library takes these for empty headers.
            Header(testDescription: "a null byte and a dash", text: "\0-\n\n"),
            Header(testDescription: "a null byte and Base64", text: "\0AAAA\n\n"),
        ]
    }

    @Test(.bug(id: "F352"), arguments: Header.all)
    func `a header in front of an encrypted key does not hide its rounds`(_ header: Header) throws {
        let sealed = DER.node(0x04, .init(repeating: 1, count: 16))
        let key = Data(DER.node(0x30, DER.cipher(2_000_001, 9) + sealed))
        let pem = Self.begin + header.text + key.base64EncodedString(options: .lineLength64Characters) + Self.end
        let identity = ClientIdentity.pem(
            certificates: .file(try ClientIdentityTests.fixture("client.pem")),
            key: .bytes(Array(pem.utf8)),
            passphrase: "secret"
        )
        let error = #expect(throws: TransportError.self) { try identity.check() }
        #expect(error?.code == .tlsFailed)
        let reason = "cannot be read: there is something besides Base64 in its block, for example header lines"
        #expect(error?.reason.hasSuffix(reason) == true, "\(error?.reason ?? "")")
    }

    @Test(.bug(id: "F535"), arguments: ["scrypt.key", "sha512.key", "camellia.key"])
    func `a key that is encrypted in an unknown way is not said to have another passphrase`(_ name: String) throws {
        let identity = ClientIdentity.pem(
            certificates: .file(try ClientIdentityTests.fixture("client.pem")),
            key: .file(try ClientIdentityTests.fixture(name)),
            passphrase: "secret"
        )
        let error = #expect(throws: TransportError.self) { try identity.check() }
        #expect(error?.code == .tlsFailed)
        #expect(error?.reason.contains("its encryption is not supported") == true, "\(error?.reason ?? "")")
    }

    @Test func `a block that cannot be parsed is left to the TLS library`() throws {
        for text in ["", "=", "AA", "MA==", "MIA=", "MIQ=", "MIX/////", "MIT/////", "MAMCAQE="] {
            try EncryptedPEMKey.check(Array((Self.begin + text + Self.end).utf8))
        }
        let pem = [UInt8](try Data(contentsOf: URL(filePath: try ClientIdentityTests.fixture("encrypted.key"))))
        for count in 0...pem.count { try EncryptedPEMKey.check(Array(pem.prefix(count))) }
    }

    /// The parameters of `pbeWithSHAAnd3-KeyTripleDES-CBC` (RFC 7292 appendix C).
    private static func tripleDES(_ rounds: Int) -> [UInt8] {
        let parameters = DER.node(0x30, DER.node(0x04, [1, 2, 3, 4, 5, 6, 7, 8]) + DER.integer(rounds))
        return DER.node(0x30, DER.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 12, 1, 3]) + parameters)
    }
}
