// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import BluebonnetTransport

struct ProxyAuthenticatorTests {
    private static let digest: HTTPFields = [
        .proxyAuthenticate: "Digest realm=\"p\", nonce=\"n1\", qop=\"auth\""
    ]
    private static let newNonce: HTTPFields = [
        .proxyAuthenticate: "Digest realm=\"p\", nonce=\"n2\", qop=\"auth\""
    ]
    private static let basic: HTTPFields = [.proxyAuthenticate: "Basic realm=\"p\""]

    private let authenticator = ProxyAuthenticator()

    private func proxy(_ authentication: Proxy.Authentication) -> Proxy {
        var proxy = Proxy(scheme: .http, host: "proxy.test", port: 8080, username: "ada", password: "secret")
        proxy.authentication = authentication
        return proxy
    }

    private func authorization(
        for proxy: Proxy,
        answering answer: ProxyAnswer? = nil
    ) throws -> ProxyAuthorization? {
        try self.authenticator.authorization(for: proxy, method: .connect, target: "h.test:443", answering: answer)
    }

    /// Has the proxy accept an answer to a challenge with Digest.
    private func accept(_ challenge: HTTPFields, _ proxy: Proxy, after refused: ProxyAuthorization? = nil) throws {
        let answer = try #require(self.authenticator.answer(to: challenge, from: proxy, after: refused))
        #expect(answer.scheme == .digest)
        let sent = try #require(try self.authorization(for: proxy, answering: answer))
        #expect(self.authenticator.accept([:], from: proxy, to: sent))
    }

    @Test(.bug(id: "F246"), arguments: [Proxy.Authentication.challenged, .basicFirst])
    func `a proxy that refuses preemptive Digest does not get the password with Basic`(
        _ authentication: Proxy.Authentication
    ) throws {
        let proxy = self.proxy(authentication)
        try self.accept(Self.digest, proxy)
        let preemptive = try #require(try self.authorization(for: proxy))
        #expect(preemptive.method.scheme == .digest)
        #expect(self.authenticator.answer(to: Self.basic, from: proxy, after: preemptive) == nil)
        // The same holds for the next request.
        let next = try self.authorization(for: proxy)
        #expect(next == nil)
        #expect(self.authenticator.answer(to: Self.basic, from: proxy, after: next) == nil)
    }

    @Test(.bug(id: "F246")) func `a proxy that does not know a nonce any more is answered with Digest`() throws {
        let proxy = self.proxy(.challenged)
        try self.accept(Self.digest, proxy)
        let preemptive = try #require(try self.authorization(for: proxy))
        try self.accept(Self.newNonce, proxy, after: preemptive)
        #expect(try self.authorization(for: proxy)?.method.scheme == .digest)
    }
}
