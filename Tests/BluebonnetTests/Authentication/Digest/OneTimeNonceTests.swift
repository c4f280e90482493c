// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// Servers that take each nonce once, and whose nonces other clients of the session use up.
@Suite(.timeLimit(.minutes(1))) struct OneTimeNonceTests {
    typealias Stage = AuthenticationStageTests

    /// Takes a nonce once, and only if it was given to a request without an answer.
    private final class Server: Sendable {
        private struct State {
            var lastNonce = 0
            var own: Set<String> = []
            /// The requests of each call, by its path.
            var counts: [String: Int] = [:]
            var inside: Set<String> = []
            var largestInside = 0
        }

        private let state = Mutex(State())
        /// How many answers of a call are stale, whatever their nonce is.
        private let staleCount: Int

        init(staleCount: Int = 0) {
            self.staleCount = staleCount
        }

        /// How many calls had a nonce of their own at a time.
        var largestInside: Int { self.state.withLock { $0.largestInside } }

        var transport: StubTransport {
            StubTransport { request in
                let field = request.headers[.authorization].flatMap { $0.hasPrefix("Digest ") ? $0.dropFirst(7) : nil }
                let nonce = try field.map { field in
                    try DigestTests.parameters(String(field)).first { $0.name == "nonce" }?.value ?? ""
                }
                await Task.yield()
                return self.respond(to: request.target, nonce)
            }
        }

        private func respond(to target: String, _ nonce: String?) -> TransportResponse {
            self.state.withLock { state in
                let count = state.counts[target, default: 0]
                state.counts[target] = count + 1
                state.lastNonce += 1
                let fresh = "n\(state.lastNonce)"
                if let nonce, count > self.staleCount, state.own.remove(nonce) != nil {
                    state.inside.remove(target)
                    return .plain("in", headers: [.authenticationInfo: "nextnonce=\"\(fresh)\""])
                }
                if nonce == nil {
                    state.own.insert(fresh)
                    if count > self.staleCount { state.inside.insert(target) }
                    state.largestInside = max(state.largestInside, state.inside.count)
                }
                let stale = nonce == nil ? "" : ", stale=true"
                let challenge = "Digest realm=\"r\", nonce=\"\(fresh)\", qop=auth\(stale)"
                return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
            }
        }
    }

    @Test(.bug(id: "F723")) func `a call whose nonces are used up by others gets one of its own`() async throws {
        let transport = Server().transport
        let session = Stage.session(transport, .password("ada", "s3cret", for: Stage.home))
        for path in ["/a", "/b", "/c"] {
            #expect(try await session.response(for: Stage.request("http://h\(path)")).status == .ok)
        }
        let isAnswer = transport.requests.map { $0.headers.contains(.authorization) }
        #expect(isAnswer == [false, true] + [true, true, false, true] + [true, true, false, true])
    }

    @Test(.bug(id: "F723")) func `user information is not sent with Basic to get a nonce`() async throws {
        let transport = Server().transport
        let session = Stage.session(transport, .anonymous)
        for path in ["/a", "/b"] {
            let url = "http://ada:s3cret@h\(path)"
            #expect(try await session.response(for: Stage.request(url)).status == .ok)
        }
        let basic = transport.requests.filter { $0.headers[.authorization]?.hasPrefix("Basic") == true }
        // The first request of all, before the server has asked for Digest.
        #expect(basic.count == 1)
    }

    @Test(.bug(id: "F723")) func `one call at a time gets a nonce of its own`() async throws {
        // The initial 401 and two stale answers for each call.
        let server = Server(staleCount: 2)
        let session = Stage.session(server.transport, .password("ada", "s3cret", for: Stage.home))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask { try await session.response(for: Stage.request("http://h/\(number)")).status.code }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 40))
        #expect(server.largestInside == 1)
    }

    @Test(.bug(id: "F723")) func `a call that is cancelled gives its turn back`() async throws {
        let server = Server(staleCount: 2)
        let (arrived, transport) = (Latch(), server.transport)
        let stalling = StubTransport { request in
            let response = try await transport.exchange(request)
            // The nonce of its own, which the cancelled call does not use.
            guard request.target == "/first", server.largestInside == 1 else { return response }
            arrived.open()
            try await untilCancelled()
        }
        let session = Stage.session(stalling, .password("ada", "s3cret", for: Stage.home))
        let first = Task { try await session.response(for: Stage.request("http://h/first")) }
        await arrived.wait()
        let second = Task { try await session.response(for: Stage.request("http://h/second")).status }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await second.value == .ok)
    }
}
