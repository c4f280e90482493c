// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes
import NIOCore
import Testing

@testable import BluebonnetTransport

/// Which requests may be sent behind others.
@Suite struct PipelinableTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var route = Route.direct
        var expected = false
        let change: @Sendable (inout TransportRequest) -> Void
    }

    static let cases: [Case] = [
        Case(testDescription: "GET", expected: true) { _ in },
        Case(testDescription: "HEAD", expected: true) { $0.method = .head },
        Case(testDescription: "OPTIONS", expected: true) { $0.method = .options },
        Case(testDescription: "TRACE", expected: true) { $0.method = .trace },
        Case(testDescription: "with fields", expected: true) { $0.headers = [.accept: "*/*", .range: "bytes=0-"] },
        Case(testDescription: "streamed", expected: true) { $0.responseMode = .streamed },
        Case(testDescription: "to a Unix socket", route: .unixSocket(path: "/s"), expected: true) { _ in },
        Case(testDescription: "through a tunnel", route: .tunnel(proxy), expected: true) { _ in },
        Case(testDescription: "forwarded", route: .forwarder(proxy)) { _ in },
        Case(testDescription: "did not ask") { $0.usesPipelining = false },
        Case(testDescription: "POST") { $0.method = .post },
        Case(testDescription: "PUT") { $0.method = .put },
        Case(testDescription: "DELETE") { $0.method = .delete },
        Case(testDescription: "PATCH") { $0.method = .patch },
        Case(testDescription: "a body") { $0.body = .bytes(ByteBuffer(string: "x")) },
        Case(testDescription: "an empty body") { $0.body = .bytes(ByteBuffer()) },
        Case(testDescription: "trailers") { $0.trailers = { [:] } },
        Case(testDescription: "an upgrade") { $0.allowsUpgrade = true },
        Case(testDescription: "Connection: close") { $0.headers[.connection] = "close" },
        Case(testDescription: "Upgrade") { $0.headers[.upgrade] = "h2c" },
        Case(testDescription: "Expect") { $0.headers[.expect] = "100-continue" },
    ]

    private static let proxy = Proxy(scheme: .http, host: "proxy.test", port: 1)

    @Test(arguments: cases) func `only what is safe to send twice, whole and without consequences`(_ one: Case) {
        var request = TransportRequest(origin: Origin(scheme: .http, host: "example.test"), target: "/")
        request.usesPipelining = true
        one.change(&request)
        #expect(Exchange(request, route: one.route).isPipelinable == one.expected)
    }
}
