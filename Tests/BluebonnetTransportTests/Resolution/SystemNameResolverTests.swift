// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(1))) struct SystemNameResolverTests {
    @Test func `finds this machine`() async throws {
        let addresses = try await SystemNameResolver().addresses(of: "127.0.0.1", port: 4711)
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy { $0.ipAddress == "127.0.0.1" && $0.port == 4711 })
    }

    @Test(
        .bug(id: "F715"),
        arguments: ["localhost", "LocalHost", "localhost.", "a.localhost", "a.b.LOCALHOST."],
        [(nil, ["127.0.0.1", "::1"]), (.ipv4, ["127.0.0.1"]), (.ipv6, ["::1"])]
            as [(SystemNameResolver.Family?, [String])]
    ) func `localhost and the names below it are loopback`(
        _ name: String,
        _ expected: (family: SystemNameResolver.Family?, addresses: [String])
    ) async throws {
        let resolver = SystemNameResolver(family: expected.family)
        let addresses = try await resolver.addresses(of: name, port: 4711)
        #expect(addresses.map(\.ipAddress) == expected.addresses)
        #expect(addresses.allSatisfy { $0.port == 4711 })
        let assisted = try await resolver.ipv4Addresses(of: name, port: 4711)
        #expect(assisted.map(\.ipAddress) == (expected.family == nil ? ["127.0.0.1"] : []))
    }

    @Test(.bug(id: "F605")) func `a lookup that the system could not make has the system's reason`() {
        let error = SystemNameResolver.failure("a.test", code: EAI_SYSTEM, systemCode: EMFILE)
        #expect(error.code == .nameResolutionFailed)
        #expect(error.reason == "the host a.test could not be looked up: Too many open files")
    }

    @Test(
        .bug(id: "F194"),
        arguments: ["127.0.0.1\u{0}.example.com", "\u{0}", "", "localhost\u{0}", "a\u{0}.localhost"]
    )
    func `a name that the system would cut is not found`(_ name: String) async throws {
        let error = await #expect(throws: TransportError.self) {
            try await SystemNameResolver().addresses(of: name, port: 80)
        }
        #expect(error?.code == .nameResolutionFailed)
    }
}
