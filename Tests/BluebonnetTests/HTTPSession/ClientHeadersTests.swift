// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The header fields that a client is made with.
@Suite struct ClientHeadersTests {
    private static func configuration() -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.headers = [.userAgent: "mine/1"]
        configuration.headers["X-Api-Key"] = "old"
        return configuration
    }

    @Test func `they are sent with every request to the origin of the base URL, and to no other`() async throws {
        let transport = StubTransport()
        let (key, tenant) = ("secret", String?.none)
        let api = try HTTPSession(
            "https://h/v1",
            headers: ["X-Api-Key": key, "X-Tenant": tenant],
            configuration: Self.configuration(),
            transport: transport
        )
        _ = try await api.get("a")
        _ = try await api.get(Peer.url("https://cdn/a"))
        _ = try await api.session.response(for: Request(url: Peer.url("https://h/b")))
        let sent = transport.requests.map { [$0.headers["X-Api-Key"], $0.headers["X-Tenant"], $0.headers[.userAgent]] }
        #expect(sent == [["secret", nil, "mine/1"], [nil, nil, "mine/1"], ["secret", nil, "mine/1"]])
    }

    @Test func `a call replaces them`() async throws {
        let transport = StubTransport()
        let api = try HTTPSession("https://h/v1", headers: [.accept: "text/plain"], transport: transport)
        _ = try await api.get("a", headers: [.accept: "text/html"])
        _ = try await api.get("a")
        #expect(transport.requests.map { $0.headers[values: .accept] } == [["text/html"], ["text/plain"]])
    }

    @Test(arguments: [["X-Api-Key": "key\n"], ["X-Api-Key": "a\r\nb: c"], ["X Api Key": "key"], ["a": "1", "A": "2"]])
    func `one that cannot be sent is refused`(_ headers: [String: String]) {
        let error = #expect(throws: SessionError.self) { try HTTPSession("https://h/v1", headers: headers) }
        #expect(error?.code == .invalidRequest)
    }
}
