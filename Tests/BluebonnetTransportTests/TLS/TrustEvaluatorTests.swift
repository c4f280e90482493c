// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct TrustEvaluatorTests {
    private static func configuration(_ evaluator: any TrustEvaluator) -> NIOTransport.Configuration {
        var configuration = NIOTransport.Configuration()
        configuration.tls.trust = evaluator
        return configuration
    }

    @Test func `is asked once per connection, with the path that was verified`() async throws {
        let evaluator = TestEvaluator()
        try await Engine.run(tls: .init(certificate: .intermediate), engine: Self.configuration(evaluator)) {
            engine async throws in
            for _ in 0..<3 { _ = try await engine.send(engine.request(.get, "/")) }
            let server = try #require(evaluator.servers.first)
            #expect(evaluator.servers.count == 1)
            #expect(server.host == "localhost")
            #expect(server.port == engine.server.port)
            #expect(server.isVerified)
            #expect(server.certificates.count == 3)
        }
    }

    @Test func `alone sees what the peer has sent, and can accept anything`() async throws {
        for kind in CertificateKind.allCases {
            let evaluator = TestEvaluator(.replacing)
            try await Engine.run(tls: .init(certificate: kind), engine: Self.configuration(evaluator)) {
                engine async throws in
                let details = try await engine.send(engine.request(.get, "/")).response.metrics.tls
                #expect(details?.isVerified == false)
                let sendsTwo = [.intermediate, .forbiddenName, .weakSignature].contains(kind)
                #expect(evaluator.servers.first?.certificates.count == (sendsTwo ? 2 : 1), "\(kind)")
                #expect(evaluator.servers.first?.isVerified == false)
            }
        }
    }

    @Test(arguments: CertificateKind.allCases.filter { ![.valid, .intermediate, .metPolicy].contains($0) })
    func `that is additional is not asked about a server that is refused without it`(
        _ kind: CertificateKind
    ) async throws {
        let evaluator = TestEvaluator()
        try await Engine.run(tls: .init(certificate: kind), engine: Self.configuration(evaluator)) {
            engine async throws in
            let error = await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            #expect(error?.code == .untrustedCertificate)
            #expect(evaluator.servers.isEmpty)
            _ = engine.server.takeFailures()
        }
    }

    @Test(arguments: [TrustMode.additional, .replacing])
    func `refuses, and not one byte of the request reaches the server`(_ mode: TrustMode) async throws {
        let evaluator = TestEvaluator(mode) { _ in throw TrustRefusal("the pins do not match", underlying: Distrust()) }
        try await Engine.run(tls: .init(), engine: Self.configuration(evaluator)) { engine async throws in
            let error = await #expect(throws: TransportError.self) {
                try await engine.send(engine.request(.post, "/", body: .bytes(ByteBuffer(string: "secret"))))
            }
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.phase == .tlsHandshake)
            #expect(error?.reason == "the pins do not match")
            #expect((error?.underlying as? TrustRefusal)?.underlying is Distrust)
            #expect(error?.isRequestSent == false)
            let counts = try await engine.server.waitForConnections { $0.total == 1 && $0.open == 0 }
            #expect(counts.requests == 0)
            #expect(engine.server.untakenRequestCount == 0)
            #expect(engine.server.takeFailures().isEmpty, "no byte that is not a request either")
        }
    }

    @Test func `keeps its own error where that has no sentence`() async throws {
        let evaluator = TestEvaluator { _ in throw Distrust() }
        try await Engine.run(tls: .init(), engine: Self.configuration(evaluator)) { engine async throws in
            let error = await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.underlying is Distrust)
        }
    }

    @Test(arguments: [TrustMode.additional, .replacing])
    func `that takes too long fails the handshake in time, and is cancelled`(_ mode: TrustMode) async throws {
        let (cancelled, signal) = AsyncStream.makeStream(of: Void.self)
        let evaluator = TestEvaluator(mode) { _ in
            await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    signal.onTermination = { _ in continuation.resume() }
                }
            } onCancel: {
                signal.finish()
            }
        }
        try await Engine.run(tls: .init(), engine: Self.configuration(evaluator)) { engine async throws in
            var request = engine.request(.get, "/")
            request.timeouts.tlsHandshake = .milliseconds(300)
            let error = await #expect(throws: TransportError.self) { try await engine.send(request) }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .tlsHandshake)
            for await _ in cancelled {}
            let counts = try await engine.server.waitForConnections { $0.open == 0 }
            #expect(counts.requests == 0)
            _ = engine.server.takeFailures()
        }
    }

    @Test(arguments: [TrustMode.additional, .replacing])
    func `an exchange that is cancelled meanwhile ends at once, and nothing is sent`(_ mode: TrustMode) async throws {
        let (asked, question) = AsyncStream.makeStream(of: Void.self)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let evaluator = TestEvaluator(mode) { _ in
            question.finish()
            for await _ in answers {}
        }
        try await Engine.run(tls: .init(), engine: Self.configuration(evaluator)) { engine async throws in
            let task = Task { try await engine.send(engine.request(.get, "/")).status }
            for await _ in asked {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            answer.finish()
            // The connection that was being made serves the next one.
            #expect(try await engine.send(engine.request(.get, "/status/204")).status == 204)
            #expect(try await engine.server.takeRequest().target == "/status/204")
            #expect(engine.server.totalConnections <= 2)
        }
    }

    @Test func `a peer that closes meanwhile ends the wait`() async throws {
        let (asked, question) = AsyncStream.makeStream(of: Void.self)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let evaluator = TestEvaluator { _ in
            question.finish()
            for await _ in answers {}
        }
        try await Engine.run(tls: .init(), engine: Self.configuration(evaluator)) { engine async throws in
            let task = Task { try await engine.send(engine.request(.get, "/")).status }
            for await _ in asked {}
            engine.server.closeConnections()
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.phase == .tlsHandshake)
            #expect(error?.isRequestSent == false)
            answer.finish()
        }
    }

    @Test func `connections made under one trust do not serve requests under another`() async throws {
        try await Engine.run(tls: .init()) { engine async throws in
            let (one, two) = (TestEvaluator(), TestEvaluator())
            let twin = TestEvaluator(identity: one.identity)
            let alone = TestEvaluator(.replacing, identity: one.identity)
            var used = [Int]()
            for evaluator in [nil, one, nil, two, twin, one, alone] {
                var request = engine.request(.get, "/")
                request.trust = evaluator
                _ = try await engine.send(request)
                used.append(try await engine.server.takeRequest().connectionID)
            }
            #expect(used == [1, 2, 1, 3, 2, 2, 4])
            #expect(one.servers.count == 1 && two.servers.count == 1 && alone.servers.count == 1)
            #expect(twin.servers.isEmpty)
        }
    }

    @Test func `of a request stands instead of that of the transport`() async throws {
        let refusing = TestEvaluator { _ in throw Distrust() }
        try await Engine.run(tls: .init(), engine: Self.configuration(refusing)) { engine async throws in
            var request = engine.request(.get, "/")
            await #expect(throws: TransportError.self) { try await engine.send(request) }
            request.trust = TestEvaluator()
            #expect(try await engine.send(request).status == 200)
        }
    }

    @Test func `has nothing to say on plain HTTP`() async throws {
        try await Engine.run { engine async throws in
            let evaluator = TestEvaluator { _ in throw Distrust() }
            var request = engine.request(.get, "/")
            _ = try await engine.send(request)
            request.trust = evaluator
            _ = try await engine.send(request)
            #expect(engine.server.totalConnections == 1)
        }
    }

    @Test func `a storm of verdicts leaves nothing behind`() async throws {
        try await Engine.run(tls: .init()) { engine async throws in
            let counts = try await withThrowingTaskGroup(of: TransportError.Code?.self) { group in
                for number in 0..<80 {
                    group.addTask {
                        let (never, end) = AsyncStream.makeStream(of: Void.self)
                        defer { end.finish() }
                        var request = engine.request(.get, "/status/200")
                        request.timeouts.tlsHandshake = .milliseconds(number % 4 == 2 ? 150 : 10_000)
                        request.trust = TestEvaluator(number.isMultiple(of: 8) ? .replacing : .additional) { _ in
                            switch number % 4 {
                            case 1: throw Distrust()
                            case 2: for await _ in never {}
                            default: await Task.yield()
                            }
                        }
                        do {
                            if number % 4 == 3 {
                                let task = Task { [request] in try await engine.send(request).status }
                                await Task.yield()
                                task.cancel()
                                _ = try await task.value
                            } else {
                                _ = try await engine.send(request)
                            }
                            return nil
                        } catch let error as TransportError {
                            return error.code
                        } catch is CancellationError {
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: [TransportError.Code?: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(counts == [nil: 40, .untrustedCertificate: 20, .timedOut: 20])
            await engine.transport.shutdown()
            try await engine.server.waitForConnections { $0.open == 0 }
            _ = engine.server.takeFailures()
        }
    }

    @Test(.bug(id: "F547")) func `identities are equal as their values are, and types count`() {
        struct Other: Hashable { var value = 1 }
        #expect(TrustIdentity(1) == TrustIdentity(1))
        #expect(TrustIdentity(1) != TrustIdentity(2))
        #expect(TrustIdentity(Other()) == TrustIdentity(Other()))
        #expect(TrustIdentity(Other()) != TrustIdentity("1"))
        #expect(TrustIdentity(1) != TrustIdentity(1 as UInt8))
        #expect(TrustIdentity(1) != TrustIdentity(1.0))
        #expect(TrustIdentity([1]) != TrustIdentity([1.0]))
        let unique = TrustIdentity.unique()
        #expect(unique == unique)
        #expect(unique != .unique())
        #expect(Set([TrustIdentity(1), TrustIdentity(1), unique, unique]).count == 2)
    }
}
