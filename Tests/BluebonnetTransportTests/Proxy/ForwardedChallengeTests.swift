// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// The challenges of proxies to the requests that they forward.
@Suite(.timeLimit(.minutes(1))) struct ForwardedChallengeTests {
    @Test func `a forwarded request is answered by whoever sends it again, and the next ones need no challenge`()
        async throws
    {
        try await FakeProxy.run(ProxyChallengeTests.options { ($0.proof, $0.nextNonce) = (.right, "next") }) { fake in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .fixed(ProxyChallengeTests.proxy(fake.port))
            configuration.resolver = LoopbackResolver()
            try await NIOTransport.running(configuration) { transport async throws in
                var request = ProxyRouteTests.request(Origin(scheme: .http, host: "origin.test"), "/a?b=%20c")
                let refused = try await transport.exchange(request)
                #expect(refused.status == .proxyAuthenticationRequired)
                let answer = try #require(refused.proxyAnswer)
                #expect(answer.scheme == .digest && !"\(answer)".contains("secret"))
                request.proxyAnswer = answer
                #expect(try await transport.exchange(request).status == .ok)
                for _ in 0..<2 {
                    let other = ProxyRouteTests.request(Origin(scheme: .http, host: "origin.test"), "/b")
                    #expect(try await transport.exchange(other).status == .ok)
                }
            }
            #expect(fake.credentials == [nil, "Digest 1", "Digest 1", "Digest 2"])
            #expect(
                fake.seen.map(\.target).prefix(2) == ["http://origin.test/a?b=%20c", "http://origin.test/a?b=%20c"]
            )
            // A response has named the nonce of the next request.
            #expect(fake.seen.dropFirst(2).allSatisfy { $0.text.contains("nonce=\"next\"") && $0.isAccepted })
        }
    }

    @Test func `an answer that covers the body is made for a body in memory, and refused for one that is read`()
        async throws
    {
        try await FakeProxy.run(ProxyChallengeTests.options { $0.quality = "auth-int" }) { fake in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .fixed(ProxyChallengeTests.proxy(fake.port))
            configuration.resolver = LoopbackResolver()
            try await NIOTransport.running(configuration) { transport async throws in
                var request = ProxyRouteTests.request(Origin(scheme: .http, host: "origin.test"))
                request.method = .put
                request.body = .bytes(ByteBuffer(string: "content"))
                request.proxyAnswer = try await transport.exchange(request).proxyAnswer
                #expect(try await transport.exchange(request).status == .ok)
                // What was accepted is sent unasked from now on, with the digest of each body.
                request.proxyAnswer = nil
                request.body = .bytes(ByteBuffer(string: "other content"))
                #expect(try await transport.exchange(request).status == .ok)
                request.body = .none
                #expect(try await transport.exchange(request).status == .ok)
                // A body that is read gets none unasked, and no answer without its digest.
                request.body = .reader(length: 4, isReplayable: true) { TextReader("text") }
                let refused = try await transport.exchange(request)
                let answer = try #require(refused.proxyAnswer)
                request.proxyAnswer = answer
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
                #expect(error?.code == .invalidRequest && error?.isRequestSent == false)
            }
            #expect(fake.credentials == [nil, "Digest 1", "Digest 2", "Digest 3", nil])
            #expect(fake.seen.map(\.isAccepted) == [false, true, true, true, false])
        }
    }

    @Test func `an answer goes to its own proxy alone, and ends with a wrong password`() async throws {
        try await FakeProxy.run(ProxyChallengeTests.options()) { fake in
            try await FakeProxy.run(ProxyChallengeTests.options()) { other in
                var configuration = NIOTransport.Configuration()
                configuration.resolver = LoopbackResolver()
                try await NIOTransport.running(configuration) { transport async throws in
                    var request = ProxyRouteTests.request(Origin(scheme: .http, host: "origin.test"))
                    request.proxy = .fixed(ProxyChallengeTests.proxy(fake.port, password: "wrong"))
                    request.proxyAnswer = try await transport.exchange(request).proxyAnswer
                    #expect(request.proxyAnswer != nil)
                    let last = try await transport.exchange(request)
                    #expect(last.status == .proxyAuthenticationRequired && last.proxyAnswer == nil)
                    request.proxy = .fixed(ProxyChallengeTests.proxy(other.port))
                    _ = try await transport.exchange(request)
                }
                #expect(fake.credentials == [nil, "Digest 1"])
                #expect(other.credentials == [nil])
            }
        }
    }

    @Test func `a wrong proof for a forwarded request is an error`() async throws {
        try await FakeProxy.run(ProxyChallengeTests.options { $0.proof = .wrong }) { fake in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .fixed(ProxyChallengeTests.proxy(fake.port))
            configuration.resolver = LoopbackResolver()
            try await NIOTransport.running(configuration) { transport async throws in
                var request = ProxyRouteTests.request(Origin(scheme: .http, host: "origin.test"))
                request.proxyAnswer = try await transport.exchange(request).proxyAnswer
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
                #expect(error?.code == .proxyFailed && error?.isRequestSent == true)
            }
        }
    }
}

/// A body that is read piece by piece.
private struct TextReader: TransportBodyReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { self.rest = ArraySlice(text.utf8) }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = self.rest.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        self.rest = self.rest.dropFirst(piece.count)
        return piece.count
    }
}
