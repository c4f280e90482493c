// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetTransport

@Suite struct TLSHostTests {
    @Test(arguments: [
        ("example.com", "example.com"), ("EXAMPLE.com", "example.com"), ("example.com.", "example.com"), ("a", "a"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("127.1", "127.1"), ("a_b.example", "a_b.example"),
    ]) func `a name is sent in lower case and without its last dot`(_ host: String, _ name: String) throws {
        let host = try TLSHost(host)
        #expect(host.name == name)
        #expect(host.address == nil)
    }

    @Test(
        .bug(id: "F532"),
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1]), ("127.0.0.1.", [127, 0, 0, 1]),
            ("::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            ("FE80::1%eth0", [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
        ] as [(String, [UInt8])]
    ) func `an address is not sent, and its zone is not part of it`(
        _ host: String,
        _ address: [UInt8]
    ) throws {
        let host = try TLSHost(host)
        #expect(host.name == nil)
        #expect(host.address == address)
    }

    @Test(arguments: ["", ".", "a b", "a\u{0}", "bücher.example", "*.a", String(repeating: "a", count: 254)])
    func `what no certificate can name is refused`(_ host: String) {
        let error = #expect(throws: TransportError.self) { try TLSHost(host) }
        #expect(error?.code == .tlsFailed)
    }
}
