// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

@Suite struct OriginTests {
    @Test(
        .bug(id: "F464"),
        arguments: [
            ("fe80::1%lo", 80, "[fe80::1]"), ("[fe80::1%eth0]", 8080, "[fe80::1]:8080"), ("::1", 80, "[::1]"),
            ("fe80::1%", 80, "[fe80::1]"), ("a%lo", 80, "a%lo"), ("127.0.0.1", 81, "127.0.0.1:81"),
        ]
    ) func `the zone of an address is not sent`(_ host: String, _ port: Int, _ authority: String) {
        let origin = Origin(scheme: .http, host: host, port: port)
        #expect(origin.authority == authority)
        let request = TransportRequest(origin: origin, target: "/a")
        #expect(HTTP1RequestEncoder.absoluteTarget(of: request) == "http://\(authority)/a")
        var head = ByteBuffer()
        _ = HTTP1RequestEncoder.write(request, framing: request.framing, into: &head)
        #expect(String(buffer: head).contains("\r\nHost: \(authority)\r\n"))
    }

    @Test(.bug(id: "F464")) func `origins in different zones are different`() {
        let (one, other) = (Origin(scheme: .http, host: "fe80::1%a"), Origin(scheme: .http, host: "fe80::1%b"))
        #expect(one != other)
        #expect(PoolKey(origin: one) != PoolKey(origin: other))
        #expect("\(one)" == "http://[fe80::1%a]")
    }
}
