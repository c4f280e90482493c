// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Who is trusted, where one connection carries the requests of many.
@Suite(.timeLimit(.minutes(1))) struct HTTP2TrustTests {
    private static func request(_ origin: Origin, _ evaluator: (any TrustEvaluator)?) -> TransportRequest {
        var request = TransportRequest(origin: origin, target: "/bytes/1")
        request.trust = evaluator
        return request
    }

    @Test func `connections made under one trust do not serve requests under another`() async throws {
        try await HTTP2Server.run { (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let (one, two) = (TestEvaluator(), TestEvaluator())
            let twin = TestEvaluator(identity: one.identity)
            let alone = TestEvaluator(.replacing, identity: one.identity)
            for evaluator in [nil, one, nil, two, twin, one, alone] {
                #expect(try await transport.exchange(Self.request(origin, evaluator)).status == .ok)
            }
            #expect(server.seen.withLock { $0.map(\.connection) } == [1, 2, 1, 3, 2, 2, 4])
            #expect(one.servers.count == 1 && two.servers.count == 1 && alone.servers.count == 1)
            #expect(twin.servers.isEmpty)
        }
    }

    @Test func `many requests at a time stay with those of their own trust`() async throws {
        try await HTTP2Server.run { (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let evaluators = [nil, TestEvaluator(), TestEvaluator(.replacing), TestEvaluator()]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        var request = Self.request(origin, evaluators[number % 4])
                        request.headers[HTTPField.Name("x-trust")!] = String(number % 4)
                        let response = try await transport.exchange(request)
                        #expect(response.status == .ok)
                    }
                }
                try await group.waitForAll()
            }
            let seen = server.seen.withLock { $0 }
            #expect(seen.count == 200)
            for (connection, requests) in Dictionary(grouping: seen, by: \.connection) {
                let trusts = Set(requests.flatMap { $0.fields.filter { $0.hasPrefix("x-trust") } })
                #expect(trusts.count == 1, "connection \(connection) served \(trusts)")
            }
            #expect(transport.statistics.opened == 4)
        }
    }

    @Test func `an evaluator beside the verification sees the verified path, one alone what was sent`() async throws {
        for (kind, additional) in [(CertificateKind.intermediate, 3), (.valid, 2)] {
            try await HTTP2Server.run(certificate: kind) {
                (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
                for mode in [TrustMode.additional, .replacing] {
                    let evaluator = TestEvaluator(mode)
                    let response = try await transport.exchange(Self.request(origin, evaluator))
                    #expect(response.metrics.httpVersion == .http2)
                    #expect(response.metrics.tls?.isVerified == (mode == .additional))
                    let count = mode == .additional ? additional : additional - 1
                    #expect(evaluator.servers.first?.certificates.count == count)
                    #expect(evaluator.servers.first?.isVerified == (mode == .additional))
                }
            }
        }
    }

    @Test func `the verifier for anchors of one's own knows whom it trusts`() async throws {
        let authority = try CertificateAuthority.shared()
        let stranger = try CertificateAuthority()
        try await HTTP2Server.run { (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let trusted = try X509TrustEvaluator(anchors: [.pem(authority.pem)])
            #expect(try await transport.exchange(Self.request(origin, trusted)).metrics.httpVersion == .http2)
            let other = try X509TrustEvaluator(anchors: [.pem(stranger.pem)])
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(Self.request(origin, other))
            }
            #expect(error?.code == .untrustedCertificate)
            #expect(error?.isRequestSent == false)
            #expect(server.seen.withLock { $0.count } == 1)
        }
    }
}
