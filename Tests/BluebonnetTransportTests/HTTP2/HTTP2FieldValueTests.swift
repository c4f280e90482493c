// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// The bytes of header values on HTTP/2, which the compression takes as text.
@Suite(.timeLimit(.minutes(1))) struct HTTP2FieldValueTests {
    private static let name = HTTPField.Name("x-value") ?? .accept

    /// Values that are UTF-8, to the last byte.
    private static let good: [[UInt8]] = [
        [], Array("plain".utf8), Array("é ﬀ 🌸".utf8), Array("\u{FFFD}".utf8), [0xEF, 0xBF, 0xBD, 0x61],
        [0x61, 0x09, 0x62],
    ]

    /// Values that are not: Latin-1, half a sequence, a surrogate, the longest way to write a slash.
    private static let bad: [[UInt8]] = [
        [0xE9], [0xEF, 0xBF], [0xEF, 0xBF, 0xBD, 0xFF], [0xF0, 0x9F, 0x8C], [0xED, 0xA0, 0x80], [0xC0, 0xAF],
        [0xFF, 0xFE],
    ]

    private static func fields(_ value: [UInt8]) -> HTTPFields {
        var fields = HTTPFields()
        fields.append(HTTPField(name: Self.name, lenientValue: value))
        return fields
    }

    @Test(.bug(id: "F57"), arguments: [false, true])
    func `a value arrives byte for byte, or is refused`(inTrailers: Bool) async throws {
        try await HTTP2Server.run(tls: false) {
            (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            for value in Self.good {
                _ = try await transport.exchange(Self.request(origin, value, inTrailers: inTrailers))
                let seen = try #require(server.seen.withLock { $0.last })
                let arrived = (inTrailers ? seen.trailers : seen.fields).last { $0.hasPrefix("x-value") }
                #expect(arrived.map { Array($0.utf8) } == Array("x-value: ".utf8) + value)
            }
            for value in Self.bad {
                let error = await #expect(throws: TransportError.self) {
                    try await transport.exchange(Self.request(origin, value, inTrailers: inTrailers))
                }
                #expect(error?.code == .invalidRequest, "\(value)")
                #expect(error?.reason.contains("x-value") == true)
                #expect(error?.isRequestSent == false)
            }
            #expect(try await transport.exchange(Self.request(origin, [], inTrailers: false)).status == .ok)
            #expect(transport.statistics.opened == 1, "the connection goes on")
            #expect(transport.statistics.inFlight == 0)
        }
    }

    private static func request(_ origin: Origin, _ value: [UInt8], inTrailers: Bool) -> TransportRequest {
        var request = TransportRequest(method: .post, origin: origin, target: "/")
        if inTrailers {
            request.trailers = { Self.fields(value) }
        } else {
            request.headers = Self.fields(value)
        }
        return request
    }
}
