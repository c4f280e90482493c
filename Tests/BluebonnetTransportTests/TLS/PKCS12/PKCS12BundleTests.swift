// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Testing

@testable import BluebonnetTransport

/// What one PKCS #12 file may cost, with its passphrase known to the attacker.
@Suite(.timeLimit(.minutes(1))) struct PKCS12BundleTests {
    private static let million = 1_000_000

    /// A file that asks for rounds in many places.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var mac = 1
        /// The rounds of the keys in a part that is not encrypted.
        var keys: [Int] = []
        /// The rounds of the encrypted parts.
        var parts: [Int] = []
        var pseudorandomFunction = 9
        var reason: String

        static let inAll = "deriving its keys takes too long, more than 6,000,000 rounds in all"
        static let each = "deriving a key takes too long, more than 2,000,000 rounds"

        static let all: [Case] = [
            Case(testDescription: "four parts", parts: [2, 2, 2, 2].map { $0 * million }, reason: inAll),
            Case(testDescription: "many parts", parts: .init(repeating: 7_000, count: 1_000), reason: inAll),
            Case(
                testDescription: "one round too many, of the MAC",
                parts: [2, 2, 2].map { $0 * million },
                reason: inAll
            ),
            Case(testDescription: "four keys", keys: [2, 2, 2, 2].map { $0 * million }, reason: inAll),
            Case(
                testDescription: "keys and parts together",
                keys: [2 * million, 2 * million],
                parts: [2 * million, 2 * million],
                reason: inAll
            ),
            Case(
                testDescription: "two blocks of each key",
                parts: [2 * million, 2 * million],
                pseudorandomFunction: 7,
                reason: inAll
            ),
            Case(testDescription: "one part", parts: [2 * million + 1], reason: each),
            Case(testDescription: "the MAC", mac: 2 * million + 1, reason: each),
        ]
    }

    @Test(.bug(id: "F152"), arguments: Case.all)
    func `a file that asks for too many rounds in all is refused before a key is derived`(_ example: Case) throws {
        let file = Self.file(example)
        let time = ContinuousClock().measure {
            let error = #expect(throws: TransportError.self) { try PKCS12Bundle(file, name: "file", passphrase: "x") }
            #expect(error?.code == .tlsFailed)
            #expect(error?.reason == "file cannot be read as PKCS #12: \(example.reason)")
        }
        #expect(time < .seconds(1))
    }

    @Test func `a MAC, a part and a key may have the maximum number of rounds each`() throws {
        var budget = PKCS12RoundBudget()
        for _ in 0..<3 { try budget.spend(rounds: 2 * Self.million) }
        #expect(throws: PKCS12Contents.Failure.tooManyRoundsInAll) { try budget.spend(rounds: 1) }
    }

    @Test func `a file that OpenSSL writes with 600,000 rounds is read`() throws {
        let path = try ClientIdentityTests.fixture("rounds.p12")
        let identity = ClientIdentity.pkcs12(.file(path), passphrase: "secret")
        #expect(try identity.load().chain.count == 1)
    }

    @Test func `a file of more than 1 MiB is refused`() throws {
        let large = [UInt8](repeating: 0, count: 1024 * 1024 + 1)
        let error = #expect(throws: TransportError.self) { try PKCS12Bundle(large, name: "file", passphrase: "") }
        #expect(error?.reason == "file cannot be read as PKCS #12: it is larger than 1 MiB")
    }

    @Test func `the time of parsing grows linearly with the bags of a part and the attributes of a bag`() throws {
        /// The shortest of some times for a part with bags that have attributes, none of which is known.
        func time(_ bags: Int, _ attributes: Int) throws -> Duration {
            let value = self.bag + Self.node(0xA0, Self.node(0x30, []))
            let unknown = [UInt8]([[UInt8]](repeating: Self.node(0x30, [6, 1, 42]), count: attributes).joined())
            let bag = Self.node(0x30, value + Self.node(0x31, unknown))
            let contents = Self.node(0x30, [UInt8]([[UInt8]](repeating: bag, count: bags).joined()))
            let part = Self.node(0x30, Self.data + Self.node(0xA0, Self.node(0x04, contents)))
            let file = Self.file(content: Self.node(0x30, part))
            try #require(file.count < 1024 * 1024)
            return (0..<3).map { _ in
                ContinuousClock().measure {
                    let error = #expect(throws: TransportError.self) {
                        try PKCS12Bundle(file, name: "file", passphrase: "x")
                    }
                    #expect(error?.reason == "there is no private key in file")
                }
            }.min() ?? .zero
        }
        // Eight times as many would take sixty-four times as long if the time was quadratic.
        #expect(try time(12_000, 1) < time(1_500, 1) * 24)
        #expect(try time(1, 80_000) < time(1, 10_000) * 24)
    }

    /// The type of a bag that is skipped: a secret bag.
    private let bag = PKCS12BundleTests.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 12, 10, 1, 5])

    // MARK: Files

    private static func file(_ example: Case) -> [UInt8] {
        let keys = example.keys.map { rounds in
            let sealed =
                self.cipher(rounds, example.pseudorandomFunction) + self.node(0x04, .init(repeating: 1, count: 16))
            let value = self.node(0xA0, self.node(0x30, sealed))
            return self.node(0x30, self.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 12, 10, 1, 2]) + value)
        }
        let bags = self.node(0x30, [UInt8](keys.joined()))
        var parts = [self.node(0x30, self.data + self.node(0xA0, self.node(0x04, bags)))]
        parts += example.parts.map { rounds in
            let sealed = self.node(0x80, .init(repeating: 1, count: 16))
            let info = self.data + self.cipher(rounds, example.pseudorandomFunction) + sealed
            let content = self.node(0x30, self.integer(0) + self.node(0x30, info))
            return self.node(
                0x30,
                self.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 6]) + self.node(0xA0, content)
            )
        }
        return self.file(content: self.node(0x30, [UInt8](parts.joined())), rounds: example.mac)
    }

    /// A file with a MAC that is valid for the passphrase “x” if it has one round (RFC 7292 appendix B.2).
    private static func file(content: [UInt8], rounds: Int = 1) -> [UInt8] {
        let salt = [UInt8](repeating: 1, count: 8)
        let password: [UInt8] = (0..<16).flatMap { _ in [0, 0x78, 0, 0] as [UInt8] }
        let seed = [UInt8](repeating: 3, count: 64) + (0..<64).map { salt[$0 % 8] } + password
        let code = HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: SHA256.hash(data: seed)))
        let algorithm = self.node(0x30, self.identifier([0x60, 0x86, 0x48, 0x01, 0x65, 3, 4, 2, 1]))
        let digest = self.node(0x30, algorithm + self.node(0x04, Array(code)))
        let mac = self.node(0x30, digest + self.node(0x04, salt) + self.integer(rounds))
        let safe = self.node(0x30, self.data + self.node(0xA0, self.node(0x04, content)))
        return self.node(0x30, self.integer(3) + safe + mac)
    }

    /// The parameters of PBES2 with AES-256-CBC.
    static func cipher(_ rounds: Int, _ function: Int) -> [UInt8] {
        let name = self.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 2, UInt8(function)])
        let random = self.node(0x30, name + self.node(0x05, []))
        let parameters = self.node(0x30, self.node(0x04, [1, 2, 3, 4, 5, 6, 7, 8]) + self.integer(rounds) + random)
        let derivation = self.node(0x30, self.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 12]) + parameters)
        let vector = self.node(0x04, .init(repeating: 0, count: 16))
        let cipher = self.node(0x30, self.identifier([0x60, 0x86, 0x48, 0x01, 0x65, 3, 4, 1, 42]) + vector)
        let scheme = self.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 13])
        return self.node(0x30, scheme + self.node(0x30, derivation + cipher))
    }

    private static let data = identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1])

    static func identifier(_ bytes: [UInt8]) -> [UInt8] { self.node(0x06, bytes) }

    static func integer(_ value: Int) -> [UInt8] {
        let bytes = withUnsafeBytes(of: Int32(value).bigEndian) { Array($0) }
        let significant = Array(bytes.drop { $0 == 0 })
        return self.node(0x02, significant.first.map { $0 < 0x80 } == true ? significant : [0] + significant)
    }

    /// A value of DER with its type and its length.
    static func node(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
        guard value.count >= 128 else { return [type, UInt8(value.count)] + value }
        let length = withUnsafeBytes(of: UInt32(value.count).bigEndian) { Array($0) }.drop { $0 == 0 }
        return [type, 0x80 | UInt8(length.count)] + length + value
    }
}
