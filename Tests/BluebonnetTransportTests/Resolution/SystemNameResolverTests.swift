// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct SystemNameResolverTests {
    @Test func `finds this machine`() async throws {
        let addresses = try await SystemNameResolver().addresses(of: "127.0.0.1", port: 4711)
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy { $0.ipAddress == "127.0.0.1" && $0.port == 4711 })
    }

    @Test(.bug(id: "F194"), arguments: ["127.0.0.1\u{0}.example.com", "\u{0}", "", "localhost\u{0}"])
    func `a name that the system would cut is not found`(_ name: String) async throws {
        let error = await #expect(throws: TransportError.self) {
            try await SystemNameResolver().addresses(of: name, port: 80)
        }
        #expect(error?.code == .nameResolutionFailed)
    }
}
