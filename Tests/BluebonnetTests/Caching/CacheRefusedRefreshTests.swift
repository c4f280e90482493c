// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// Requests for `stale-while-revalidate` that a server with Digest may refuse: no call waits for them.
@Suite(.timeLimit(.minutes(1))) struct CacheRefusedRefreshTests {
    /// A server that knows one nonce at a time and one password, and numbers its responses.
    private final class Server: Sendable {
        private struct State {
            var nonce = 1
            var password = "1"
            var version = 0
            var refused: [String] = []
        }

        private let state = Mutex(State())

        /// The requests with an answer that was refused.
        var refused: [String] { self.state.withLock { $0.refused } }

        /// Changes the nonce, as a server does after some time.
        func renewNonce() { self.state.withLock { $0.nonce += 1 } }

        func change(password: String) { self.state.withLock { $0.password = password } }

        func respond(to request: TransportRequest) throws -> TransportResponse {
            let parameters = try request.headers[.authorization].map {
                try DigestTests.parameters(String($0.dropFirst("Digest ".count)))
            }
            return self.state.withLock { state in
                let isProven = parameters.map { Self.isProven($0, request, state.password) } ?? false
                guard isProven, parameters?.first(where: { $0.name == "nonce" })?.value == "\(state.nonce)" else {
                    if parameters != nil {
                        state.refused.append("\(request.method.rawValue) \(isProven ? "stale" : "wrong")")
                    }
                    let challenge = "Digest realm=\"r\", nonce=\"\(state.nonce)\", qop=\"auth\", stale=\(isProven)"
                    return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
                }
                state.version += 1
                let fields: HTTPFields = [
                    .cacheControl: "max-age=10, stale-while-revalidate=1000", .eTag: "\"\(state.version)\"",
                ]
                return .plain("\(state.version)", headers: fields)
            }
        }

        private static func isProven(
            _ parameters: [HTTPChallenge.Parameter],
            _ request: TransportRequest,
            _ password: String
        ) -> Bool {
            func value(_ name: String) -> String { parameters.first { $0.name == name }?.value ?? "" }
            let md5 = DigestAlgorithm.md5
            let subject = md5.digest("\(request.method.rawValue):\(request.target)")
            let number = "\(value("nonce")):\(value("nc")):\(value("cnonce"))"
            return md5.digest("\(md5.digest("ada:r:\(password)")):\(number):auth:\(subject)") == value("response")
        }
    }

    /// A client of the server, in whose cache every response becomes stale before the next call.
    private struct Client {
        let server = Server()
        let session: Session
        private let seconds = Recorder<Bool>()

        init() {
            var configuration = Session.Configuration()
            configuration.authentication = .digest("ada", "1", for: AuthenticationStageTests.home)
            var cache = ResponseCache(store: MemoryCacheStore(maximumByteCount: 1 << 20))
            cache.wallClock = WallClock { [seconds] in 1_000_000 + Int64(seconds.elements.count) * 20 }
            configuration.cache = cache
            self.session = Session(
                configuration: configuration,
                transport: StubTransport { [server] in try server.respond(to: $0) }
            )
        }

        /// Makes a call, and waits for what it leaves in the background.
        ///
        /// - Returns: The status, the entity tag, and whether the response was stored.
        func call(_ method: String = "GET") async throws -> String {
            self.seconds.record(true)
            var request = try AuthenticationStageTests.request()
            request.method = try #require(HTTPRequest.Method(method))
            let response = try await self.session.response(for: request)
            let stages = self.session.stages.interceptors.lazy.compactMap { $0 as? CacheStage }
            while try #require(stages.first).refreshes.count > 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
            let isHit = response.cacheStatus?.isHit == true
            return "\(response.status.code) \(response.headers[.eTag] ?? "")\(isHit ? " stored" : "")"
        }
    }

    @Test(.bug(id: "F810"), arguments: ["GET", "HEAD"])
    func `a stored response whose refresh was refused for its nonce is renewed by the next call`(
        _ method: String
    ) async throws {
        let client = Client()
        #expect(try await client.call() == "200 \"1\"")
        client.server.renewNonce()
        #expect(try await client.call(method) == "200 \"1\" stored")
        #expect(client.server.refused == ["GET stale"])
        #expect(try await client.call("GET") == "200 \"2\"")
        // That call was challenged itself; the next refresh knows the new nonce.
        #expect(client.server.refused == ["GET stale", "GET stale"])
        #expect(try await client.call() == "200 \"2\" stored")
        #expect(try await client.call() == "200 \"3\" stored")
        #expect(client.server.refused.count == 2)
    }

    @Test(.bug(id: "F810")) func `a refusal of the credentials is delivered as long as it lasts`() async throws {
        let client = Client()
        #expect(try await client.call() == "200 \"1\"")
        client.server.change(password: "2")
        #expect(try await client.call() == "200 \"1\" stored")
        for _ in 0..<2 { #expect(try await client.call() == "401 ") }
        client.server.change(password: "1")
        #expect(try await client.call() == "200 \"2\"")
        #expect(try await client.call() == "200 \"2\" stored")
    }

    @Test(.bug(id: "F811")) func `the refresh after a HEAD has an answer for its own method`() async throws {
        let client = Client()
        #expect(try await client.call() == "200 \"1\"")
        #expect(try await client.call("HEAD") == "200 \"1\" stored")
        #expect(try await client.call("HEAD") == "200 \"2\" stored")
        #expect(client.server.refused.isEmpty)
    }
}
