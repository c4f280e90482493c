// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import Testing

@testable import Bluebonnet

@Suite struct PublicKeyPinTests {
    private static let digest = [UInt8](0..<32)
    private static let base64 = Data(Self.digest).base64EncodedString()

    @Test(arguments: [
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F",
    ]) func `is read from base64 and hexadecimal`(_ text: String) {
        #expect(PublicKeyPin.sha256(text) == .sha256(Self.digest))
        #expect(PublicKeyPin.sha256(text).description == "sha256/\(Self.base64)")
        #expect(PublicKeyPin.sha256(text).malformedText == nil)
    }

    @Test(arguments: [
        "", "sha256/", "sha1/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHhAA",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e", "é" + String(repeating: "0", count: 62),
        "0x0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f1",
    ]) func `that is no digest is remembered, and equals no other`(_ text: String) {
        #expect(PublicKeyPin.sha256(text).malformedText == text)
        #expect(PublicKeyPin.sha256(text) != .sha256(Self.digest))
    }

    @Test func `of another length is none`() {
        for count in [0, 31, 33, 64] {
            #expect(PublicKeyPin.sha256([UInt8](repeating: 1, count: count)).malformedText != nil)
        }
    }

    @Test func `of a certificate stays when the certificate is renewed with its key`() throws {
        let authority = try CertificateAuthority()
        let (one, two) = (try authority.makeIdentity(), try authority.makeIdentity())
        #expect(try one.pin() == one.pin())
        #expect(try one.pin() != two.pin())
        for bytes in [[], [0x30, 0x00], Array("certificate".utf8)] as [[UInt8]] {
            #expect(throws: SessionError(.invalidConfiguration, reason: "")) { try PublicKeyPin(certificate: bytes) }
        }
    }

    struct Unusable: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var pins: PublicKeyPins

        static let all = [
            Unusable(testDescription: "no set", pins: [:]),
            Unusable(testDescription: "no pin", pins: ["a.test": []]),
            Unusable(testDescription: "no backup", pins: ["a.test": [.nobody()]]),
            Unusable(testDescription: "the same pin twice", pins: ["a.test": [.nobody(), .nobody()]]),
            Unusable(testDescription: "text that is no pin", pins: ["a.test": [.nobody(), .sha256("backup")]]),
            Unusable(testDescription: "a host that is none", pins: ["https://a.test": [.nobody(), .nobody(1)]]),
            Unusable(
                testDescription: "one of two sets",
                pins: ["a.test": [.nobody(), .nobody(1)], "b.test": [.nobody()]]
            ),
            Unusable(
                testDescription: "no backup in a set that only reports",
                pins: PublicKeyPins([PinSet("a.test", [.nobody()], isReportOnly: true)])
            ),
        ]
    }

    @Test(arguments: Unusable.all) func `that cannot be used fails every call, of a session and of a request`(
        _ unusable: Unusable
    ) async throws {
        let stub = StubTransport { _ in .init(status: .ok) }
        var configuration = Session.Configuration()
        configuration.pins = unusable.pins
        // For hosts that are not pinned, too: nobody is to find out later.
        var request = Request(url: try Peer.url("https://elsewhere.test/"))
        let error = await #expect(throws: SessionError.self) {
            try await Session(configuration: configuration, transport: stub).response(for: request)
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.request != nil)
        request.transportOptions.pins = unusable.pins
        await #expect(throws: SessionError(.invalidConfiguration, reason: "")) {
            try await Session(transport: stub).response(for: request)
        }
        #expect(stub.requests.isEmpty)
    }
}
