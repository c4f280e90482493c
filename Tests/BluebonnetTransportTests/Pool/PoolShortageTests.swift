// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import BluebonnetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The pool where the system has few file descriptors.
@Suite(.timeLimit(.minutes(1))) struct PoolShortageTests {
    /// Finds every host at a server; the first lookups of the host c.test fail.
    private final class ShortResolver: NameResolver {
        private let port: Int
        private let failures: Mutex<[TransportError]>

        init(port: Int, failing failures: [TransportError] = []) {
            self.port = port
            self.failures = Mutex(failures)
        }

        func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
            if host == "c.test", let failure = self.failures.withLock({ $0.popLast() }) { throw failure }
            return [try SocketAddress(ipAddress: "127.0.0.1", port: self.port)]
        }
    }

    private static func failure(_ code: CInt) -> TransportError {
        let error = IOError(errnoCode: code, reason: "socket")
        return TransportError(.connectFailed, phase: .connect, reason: "no socket", underlying: error)
    }

    private static func get(_ host: String, _ transport: NIOTransport) async throws {
        let origin = Origin(scheme: .http, host: host)
        #expect(try await transport.exchange(TransportRequest(origin: origin, target: "/status/200")).status == .ok)
    }

    @Test(
        .bug(id: "F667"),
        arguments: [(1_024, 1_024, 512), (1_024, .max, 1_024), (10, 1_024, 10), (0, 1_024, 1), (1_024, 1, 1)]
    )
    func `connections take half of the descriptors at most`(_ maximum: Int, _ limit: Int, _ total: Int) {
        var options = NIOTransport.PoolOptions()
        options.maximumConnections = maximum
        #expect(PoolStateTests.State.Rules(options, descriptorLimit: limit).maximumTotal == total)
    }

    @Test(.bug(id: "F667"))
    func `idle connections to other hosts close before the descriptors are used up`() async throws {
        try await TestServer.withServer { (server: TestServer) async throws in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.resolver = ShortResolver(port: server.port)
            #expect(configuration.descriptorLimit() == sysconf(CInt(_SC_OPEN_MAX)))
            configuration.descriptorLimit = { 6 }
            try await NIOTransport.running(configuration) { (transport: NIOTransport) async throws in
                for number in 0..<10 {
                    try await Self.get("host\(number).test", transport)
                    // The one that gives way may close a moment later.
                    while transport.statistics.open > 3 { await Task.yield() }
                }
            }
        }
    }

    @Test(.bug(id: "F668"), arguments: [[EMFILE], [ENFILE], [EMFILE, EMFILE]])
    func `without a descriptor the connection that has been idle longest closes for the next one`(
        _ codes: [CInt]
    ) async throws {
        try await TestServer.withServer { (server: TestServer) async throws in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.resolver = ShortResolver(port: server.port, failing: codes.map { Self.failure($0) })
            try await NIOTransport.running(configuration) { (transport: NIOTransport) async throws in
                let hosts = ["a.test", "b.test", "d.test", "c.test", "d.test"]
                for host in hosts { try await Self.get(host, transport) }
                #expect(transport.statistics.opened == 4, "that to d.test is still there")
                #expect(transport.statistics.closed == codes.count)
                #expect(transport.statistics.failed == 0)
            }
        }
    }

    @Test(.bug(id: "F668"), arguments: [(EMFILE, 0), (ECONNREFUSED, 1)])
    func `nothing closes for another failure, and without an idle connection the failure is reported`(
        _ code: CInt,
        _ idleCount: Int
    ) async throws {
        try await TestServer.withServer { (server: TestServer) async throws in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.resolver = ShortResolver(port: server.port, failing: [Self.failure(code)])
            try await NIOTransport.running(configuration) { (transport: NIOTransport) async throws in
                for number in 0..<idleCount { try await Self.get("host\(number).test", transport) }
                let error = await #expect(throws: TransportError.self) { try await Self.get("c.test", transport) }
                #expect(error?.reason == "no socket")
                #expect(transport.statistics.open == idleCount)
            }
        }
    }

    @Test(.bug(id: "F668")) func `a shortage is found among the failures of all addresses`() throws {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        let errors = [ECONNREFUSED, EMFILE].map { IOError(errnoCode: $0, reason: "connect") }
        let failures = AddressFailures(failures: errors.map { (address, $0) })
        let error = TransportError(connecting: failures, to: .host("a.test", port: 1))
        #expect(TransportError.isDescriptorShortage(error))
        #expect(!TransportError.isDescriptorShortage(TransportError.noAddress(of: "a.test")))
    }
}
