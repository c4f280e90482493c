// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// The bytes of header values on HTTP/2, which need not be UTF-8 (RFC 9110 section 5.5).
@Suite(.timeLimit(.minutes(1))) struct HTTP2FieldValueTests {
    private static let name = HTTPField.Name("x-value") ?? .accept

    /// UTF-8 to the last byte; then Latin-1, half a sequence, a surrogate, the longest way to write a slash.
    private static let values: [[UInt8]] = [
        [], Array("plain".utf8), Array("é ﬀ 🌸".utf8), Array("\u{FFFD}".utf8), [0xEF, 0xBF, 0xBD, 0x61],
        [0x61, 0x09, 0x62], [0xE9], [0xEF, 0xBF], [0xEF, 0xBF, 0xBD, 0xFF], [0xF0, 0x9F, 0x8C], [0xED, 0xA0, 0x80],
        [0xC0, 0xAF], [0xFF, 0xFE], [0x61, 0xE9, 0x62],
    ]

    /// One after the other over one connection, and each of them twice: the second comes from the table.
    @Test(.bug(id: "F57"), arguments: [false, true])
    func `a value goes out and comes back byte for byte`(inTrailers: Bool) async throws {
        // The peer answers with the value that the request has: it counts, and reads no header block.
        let behaviour = RawPeer.Behaviour { request in
            // Trailers count as heads, and are answered.
            if inTrailers, request.number.isMultiple(of: 2) { return [] }
            let value = Self.values[request.number / (inTrailers ? 4 : 2)]
            let field = [0x40] + Wire.string("x-value") + [UInt8(value.count)] + value
            let head = Wire.block([(":status", "200")])
            guard inTrailers else { return [.send(Wire.frame(1, flags: 5, stream: request.stream, head + field))] }
            return [
                .send(Wire.frame(1, flags: 4, stream: request.stream, head)),
                .send(Wire.frame(1, flags: 5, stream: request.stream, field)),
            ]
        }
        try await RawPeer.run(behaviour) { peer, transport, origin in
            for value in Self.values {
                for _ in 0..<2 {
                    let request = Self.request(origin, value, inTrailers: inTrailers)
                    let response = try await transport.exchange(request)
                    let fields = inTrailers ? response.body.trailers : response.headers
                    let came = fields?.first { $0.name == Self.name }?.withUnsafeBytesOfValue { Array($0) }
                    #expect(came == value)
                }
                try await Self.sees(value, peer, inTrailers: inTrailers)
            }
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test(
        .bug(id: "F355"),
        arguments: [
            (.automatic, 0x40, 1), (.prefer, 0x40, 1), (.avoid, 0x00, 2), (.disallow, 0x10, 2),
        ] as [(HTTPField.DynamicTableIndexingStrategy, UInt8, Int)]
    ) func `each indexing strategy of a field is kept`(
        _ strategy: HTTPField.DynamicTableIndexingStrategy,
        _ pattern: UInt8,
        _ count: Int
    ) async throws {
        try await RawPeer.run(RawPeer.Behaviour { [.send(Wire.response($0.stream))] }) { peer, transport, origin in
            var request = TransportRequest(method: .get, origin: origin, target: "/")
            var field = HTTPField(name: Self.name, value: "!!")
            field.indexingStrategy = strategy
            request.headers.append(field)
            for _ in 0..<2 { _ = try await transport.exchange(request) }
            // A literal with a name of its own: the pattern, the name in the compression's code, and the value as it is.
            let blocks = peer.state.withLock { $0.frames.filter { $0.kind == 1 }.map(\.payload) }
            let literals = blocks.filter { $0.suffix(3).elementsEqual([2, 0x21, 0x21]) }
            #expect(blocks.count == 2 && literals.count == count)
            #expect(literals.first?.suffix(11).first.map { $0 & 0xF0 } == pattern, "\(blocks)")
        }
    }

    /// The value was in a header block, as it is: bytes outside ASCII are longer in the compression's code.
    private static func sees(_ value: [UInt8], _ peer: RawPeer, inTrailers: Bool) async throws {
        guard value.contains(where: { $0 >= 0x80 }) else { return }
        let field = [UInt8(value.count)] + value
        try await peer.until { state in
            state.frames.contains { $0.kind == 1 && $0.payload.suffix(field.count).elementsEqual(field) }
        }
    }

    private static func request(_ origin: Origin, _ value: [UInt8], inTrailers: Bool) -> TransportRequest {
        var fields = HTTPFields()
        fields.append(HTTPField(name: Self.name, lenientValue: value))
        var request = TransportRequest(method: inTrailers ? .post : .get, origin: origin, target: "/")
        if inTrailers {
            let fields = fields
            request.trailers = { fields }
        } else {
            request.headers = fields
        }
        return request
    }
}
