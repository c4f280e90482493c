// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// What an HTTP/2 peer does wrong: one typed error, the right part gone (RFC 9113 section 5.4), and the engine works on.
@Suite(.timeLimit(.minutes(2))) struct HTTP2FaultTests {
    /// A fault on stream 1, while stream 3 waits for its response.
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var code = TransportError.Code.protocolViolation
        var phase = TransportError.Phase.responseHead
        /// Whether the connection goes on, with stream 3 unharmed.
        var isKept = true
        /// The error code that the peer is told, in RST_STREAM or GOAWAY.
        var told: UInt32? = 1
        var bytes: [UInt8]
        var testDescription: String { self.name }
    }

    static func stream(
        _ name: String,
        _ bytes: [UInt8],
        code: TransportError.Code = .protocolViolation,
        phase: TransportError.Phase = .responseHead,
        told: UInt32? = 1
    ) -> Case {
        Case(name: name, code: code, phase: phase, told: told, bytes: bytes)
    }

    static func connection(
        _ name: String,
        _ bytes: [UInt8],
        code: TransportError.Code = .protocolViolation,
        told: UInt32 = 1
    ) -> Case {
        Case(name: name, code: code, isKept: false, told: told, bytes: bytes)
    }

    static func fields(_ name: String, _ fields: [(String, String)], told: UInt32? = 1) -> Case {
        Self.stream(name, Wire.headers(1, fields, isEnd: true), told: told)
    }

    static let heads: [Case] = [
        fields("no status", [("content-type", "text/plain")]),
        fields("two statuses", [(":status", "200"), (":status", "200")]),
        fields("the status behind a field", [("a", "b"), (":status", "200")]),
        fields("a pseudo-header of requests", [(":status", "200"), (":path", "/")]),
        fields("a pseudo-header that nobody knows", [(":status", "200"), (":what", "")]),
        fields("a status of two digits", [(":status", "20")]),
        fields("a status of four digits", [(":status", "2000")]),
        fields("a status below 100", [(":status", "099")]),
        fields("a status in words", [(":status", "two")]),
        fields("a status with a sign", [(":status", "+20")]),
        fields("an empty status", [(":status", "")]),
        fields("an upper-case name", [(":status", "200"), ("Server", "x")]),
        fields("a name with a space", [(":status", "200"), ("a b", "x")]),
        fields("a name with a colon", [(":status", "200"), ("a:b", "x")]),
        fields("a name with LF", [(":status", "200"), ("a\nb", "x")]),
        fields("a name outside ASCII", [(":status", "200"), ("ä", "x")]),
        fields("CR in a value", [(":status", "200"), ("a", "x\ry")]),
        fields("LF in a value", [(":status", "200"), ("a", "x\ny")]),
        fields("NUL in a value", [(":status", "200"), ("a", "x\u{0}y")]),
        fields("a blank before a value", [(":status", "200"), ("a", " x")]),
        fields("a blank behind a value", [(":status", "200"), ("a", "x ")]),
        fields("a tab before a value", [(":status", "200"), ("a", "\tx")]),
        fields("a tab behind a value", [(":status", "200"), ("a", "x\t")]),
        fields("a value that is a blank", [(":status", "200"), ("a", " ")]),
        fields("connection", [(":status", "200"), ("connection", "close")]),
        fields("keep-alive", [(":status", "200"), ("keep-alive", "timeout=5")]),
        fields("proxy-connection", [(":status", "200"), ("proxy-connection", "close")]),
        fields("transfer-encoding", [(":status", "200"), ("transfer-encoding", "chunked")]),
        fields("upgrade", [(":status", "200"), ("upgrade", "h2c")]),
        fields("101", [(":status", "101")]),
        fields("an informational response at the end", [(":status", "103")]),
        // Both sides have ended these streams: there is nothing left to reset (RFC 9113 section 5.1).
        fields("two lengths", [(":status", "200"), ("content-length", "1"), ("content-length", "2")], told: nil),
        fields("a length in words", [(":status", "200"), ("content-length", "ten")], told: nil),
        fields("a negative length", [(":status", "200"), ("content-length", "-1")], told: nil),
        stream(
            "seventeen informational responses",
            (0..<17).flatMap { _ in Wire.headers(1, [(":status", "103")]) },
            code: .limitExceeded
        ),
        // "via" without a value, from the static table.
        stream(
            "three hundred fields",
            Wire.frame(1, flags: 5, stream: 1, [0x88] + [UInt8](repeating: 0x80 | 60, count: 300)),
            code: .limitExceeded
        ),
    ]

    static let bodies: [Case] = [
        stream("a body before its head", Wire.data(1, [1])),
        stream("a second head", Wire.head(1) + Wire.head(1), phase: .responseBody),
        stream("a second head at the end", Wire.head(1) + Wire.head(1, isEnd: true), phase: .responseBody),
        stream("trailers before the end", Wire.head(1) + Wire.headers(1, [("a", "b")]), phase: .responseBody),
        stream(
            "trailers with a pseudo-header",
            Wire.head(1) + Wire.headers(1, [(":path", "/")], isEnd: true),
            phase: .responseBody
        ),
        stream(
            "fewer bytes than told",
            length(3) + Wire.data(1, [1, 2], isEnd: true),
            code: .connectionClosed,
            phase: .responseBody,
            told: nil
        ),
        stream(
            "none of the bytes told",
            Wire.head(1, [("content-length", "3")], isEnd: true),
            code: .connectionClosed,
            phase: .responseBody,
            told: nil
        ),
        stream(
            "trailers before all bytes told",
            length(3) + Wire.headers(1, [("a", "b")], isEnd: true),
            code: .connectionClosed,
            phase: .responseBody,
            told: nil
        ),
        stream("more bytes than told", length(3) + Wire.data(1, [1, 2, 3, 4]), phase: .responseBody),
        stream("a body after 204", Wire.headers(1, [(":status", "204")]) + Wire.data(1, [1]), phase: .responseBody),
        stream("a body after 304", Wire.headers(1, [(":status", "304")]) + Wire.data(1, [1]), phase: .responseBody),
        stream("a window opened by nothing", Wire.windowUpdate(1, 0)),
        stream("a window opened too far", Wire.windowUpdate(1, 0x7FFF_FFFF), told: 3),
        stream("a reset", Wire.reset(1, 2), code: .connectionClosed, told: nil),
        stream("a reset without an error", Wire.reset(1, 0), code: .connectionClosed, told: nil),
        stream(
            "a reset in the body",
            Wire.head(1) + Wire.reset(1, 8),
            code: .connectionClosed,
            phase: .responseBody,
            told: nil
        ),
    ]

    static func length(_ count: Int) -> [UInt8] { Wire.head(1, [("content-length", String(count))]) }

    static let frames: [Case] = [
        connection("a frame that is too large", [0, 0x40, 1, 0, 0] + Wire.integer(1), told: 6),
        connection("the largest frame there is", [0xFF, 0xFF, 0xFF, 0xFA, 0] + Wire.integer(1), told: 6),
        connection("a head on the connection", Wire.head(0)),
        connection("a head on a stream of its own", Wire.head(2)),
        connection("a head on a stream that nobody opened", Wire.head(99)),
        connection("data on the connection", Wire.data(0, [1])),
        connection("data on a stream of its own", Wire.data(2, [1])),
        connection("data on a stream that nobody opened", Wire.data(99, [1])),
        connection("an interrupted header block", Wire.frame(1, stream: 1, [0x88]) + Wire.data(1, [1])),
        connection("an unknown frame in a header block", Wire.frame(1, stream: 1, [0x88]) + Wire.frame(0xFA)),
        connection("a continuation of nothing", Wire.frame(9, flags: 4, stream: 1, [0x88])),
        connection("a continuation elsewhere", Wire.frame(1, stream: 1) + Wire.frame(9, flags: 4, stream: 3, [0x88])),
        connection(
            "endless continuations",
            Wire.frame(1, stream: 1, [0x88]) + (0..<70).flatMap { _ in Wire.frame(9, stream: 1, [0x90]) },
            code: .limitExceeded,
            told: 11
        ),
        connection(
            "empty continuations",
            Wire.frame(1, stream: 1, [0x88]) + (0..<70).flatMap { _ in Wire.frame(9, stream: 1) },
            code: .limitExceeded,
            told: 11
        ),
        connection(
            "a header block without end",
            Wire.frame(1, stream: 1, [0x88])
                + (0..<5).flatMap { _ in Wire.frame(9, stream: 1, [UInt8](repeating: 0x90, count: 16_384)) },
            code: .limitExceeded,
            told: 11
        ),
        stream(
            "a bomb of table entries",
            // One large field put into the table, then fetched from there a hundred times.
            Wire.frame(
                1,
                flags: 5,
                stream: 1,
                [0x88, 0x40] + Wire.string("x") + Wire.string(String(repeating: "y", count: 3500))
                    + [UInt8](repeating: 0xBE, count: 100)
            ),
            code: .limitExceeded
        ),
        stream(
            "ten thousand fields",
            Wire.frame(1, flags: 5, stream: 1, [0x88] + [UInt8](repeating: 0x90, count: 10_000)),
            code: .limitExceeded
        ),
        connection("an index beyond the table", Wire.frame(1, flags: 5, stream: 1, [0xFE]), told: 9),
        connection("index 0", Wire.frame(1, flags: 5, stream: 1, [0x80]), told: 9),
        connection(
            "an integer without end",
            Wire.frame(1, flags: 5, stream: 1, [UInt8](repeating: 0xFF, count: 20)),
            told: 9
        ),
        connection("a text that is cut short", Wire.frame(1, flags: 5, stream: 1, [0x00, 0x05, 0x61]), told: 9),
        connection(
            "a table larger than agreed",
            Wire.frame(1, flags: 5, stream: 1, [0x3F, 0xE2, 0x1F, 0x88]),
            told: 9
        ),
        connection(
            "Huffman padding that is too long",
            Wire.frame(1, flags: 5, stream: 1, [0x00, 0x82, 0xFF, 0xFF, 0x00]),
            told: 9
        ),
        stream("an empty name", Wire.headers(1, [(":status", "200"), ("", "x")])),
        connection("padding longer than its frame", Wire.frame(0, flags: 8, stream: 1, [9, 1, 2])),
        connection("padding longer than a head", Wire.frame(1, flags: 0xC, stream: 1, [9, 0x88])),
        connection("padding without its length", Wire.frame(0, flags: 8, stream: 1)),
        connection("a priority that is cut short", Wire.frame(1, flags: 0x24, stream: 1, [0, 0, 0]), told: 6),
        connection("a reset of the connection", Wire.reset(0, 0)),
        connection("a reset of a stream that nobody opened", Wire.reset(99, 0)),
        connection("a reset of the wrong size", Wire.frame(3, stream: 1, [0, 0, 0]), told: 6),
        connection("a promise", Wire.frame(5, flags: 4, stream: 1, Wire.integer(2) + [0x82])),
    ]

    static let controls: [Case] = [
        connection("settings on a stream", Wire.frame(4, stream: 1)),
        connection("settings of the wrong size", Wire.frame(4, [0, 1, 0, 0, 0]), told: 6),
        connection("an acknowledgement with settings", Wire.frame(4, flags: 1, [0, 1, 0, 0, 0, 0]), told: 6),
        connection("push switched on", Wire.settings([(2, 1)])),
        connection("push switched to 2", Wire.settings([(2, 2)])),
        connection("a window too large from the start", Wire.settings([(4, 0x8000_0000)]), told: 3),
        connection("frames smaller than all may be", Wire.settings([(5, 16_383)])),
        connection("frames larger than any may be", Wire.settings([(5, 16_777_216)])),
        connection(
            "settings that open a window too far",
            Wire.windowUpdate(1, 0x7FFF_FFFF - 65_535) + Wire.settings([(4, 0x7FFF_FFFF)]),
            told: 3
        ),
        connection("a ping on a stream", Wire.frame(6, stream: 1, [UInt8](repeating: 0, count: 8))),
        connection("a ping of the wrong size", Wire.frame(6, [1, 2, 3]), told: 6),
        connection("GOAWAY on a stream", Wire.frame(7, stream: 1, [UInt8](repeating: 0, count: 8))),
        connection("GOAWAY that is cut short", Wire.frame(7, [0, 0, 0, 0]), told: 6),
        connection("a window update of the wrong size", Wire.frame(8, [0, 0, 1]), told: 6),
        connection("the connection's window opened by nothing", Wire.windowUpdate(0, 0)),
        connection("the connection's window opened too far", Wire.windowUpdate(0, 0x7FFF_FFFF), told: 3),
        connection("a window of a stream that nobody opened", Wire.windowUpdate(99, 1)),
    ]

    @Test(arguments: heads + bodies + frames + controls)
    func `a fault of the peer is one typed error`(_ one: Case) async throws {
        let behaviour = RawPeer.Behaviour { request in
            switch request.number {
            case 0: []
            case 1: [.send(one.bytes + Wire.response(3))]
            default: [.send(Wire.response(request.stream))]
            }
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let faulty = Task {
                try await transport.exchange(TransportRequest(method: .post, origin: origin, target: "/fault"))
            }
            try await peer.until { $0.requests == 1 }
            let other = Task {
                try await transport.exchange(TransportRequest(method: .post, origin: origin, target: "/other"))
            }
            let error = await #expect(throws: TransportError.self) { try await faulty.value }
            #expect(error?.code == one.code)
            #expect(error?.phase == one.phase)
            #expect(error?.isRequestSent == true)
            if one.isKept {
                #expect(try await other.value.status == .ok)
            } else {
                let second = await #expect(throws: TransportError.self) { try await other.value }
                #expect(second?.code == one.code)
            }
            if let told = one.told {
                try await peer.until { $0.frames.contains { $0.kind == (one.isKept ? 3 : 7) } }
                let frame = peer.state.withLock { $0.frames.first { $0.kind == (one.isKept ? 3 : 7) } }
                #expect(frame?.code == told)
            }
            if !one.isKept { try await peer.until { $0.open == 0 } }
            let next = try await transport.exchange(TransportRequest(method: .post, origin: origin, target: "/next"))
            #expect(next.status == .ok)
            #expect(transport.statistics.opened == (one.isKept ? 1 : 2))
            #expect(transport.statistics.inFlight == 0)
        }
    }

    struct Oddity: CustomTestStringConvertible, Sendable {
        var name: String
        var bytes: [UInt8]
        var testDescription: String { self.name }
    }

    static let oddities: [Oddity] = [
        Oddity(
            name: "an unknown frame",
            bytes: Wire.frame(0xFA, flags: 0xFF, stream: 1, [1, 2, 3]) + Wire.response(1)
        ),
        Oddity(name: "an unknown frame on an idle stream", bytes: Wire.frame(0xFA, stream: 99) + Wire.response(1)),
        Oddity(name: "a priority", bytes: Wire.frame(2, stream: 1, [0, 0, 0, 0, 0]) + Wire.response(1)),
        Oddity(name: "an alternative service", bytes: Wire.frame(0xA, [0, 0]) + Wire.response(1)),
        Oddity(name: "an unknown setting", bytes: Wire.settings([(0x99, 7), (8, 1)]) + Wire.response(1)),
        Oddity(name: "no header table", bytes: Wire.settings([(1, 0), (1, 65_536)]) + Wire.response(1)),
        Oddity(name: "a ping", bytes: Wire.frame(6, [1, 2, 3, 4, 5, 6, 7, 8]) + Wire.response(1)),
        Oddity(
            name: "an answer to a ping that was not sent",
            bytes: Wire.frame(6, flags: 1, [UInt8](repeating: 0, count: 8)) + Wire.response(1)
        ),
        Oddity(name: "an acknowledgement too many", bytes: Wire.frame(4, flags: 1) + Wire.response(1)),
        Oddity(name: "a window that opens late", bytes: Wire.response(1) + Wire.windowUpdate(1, 5)),
        Oddity(name: "a window opened by nothing, late", bytes: Wire.response(1) + Wire.windowUpdate(1, 0)),
        Oddity(name: "a reset after the end", bytes: Wire.response(1) + Wire.reset(1, 0)),
        Oddity(name: "data after the end", bytes: Wire.response(1) + Wire.data(1, [1, 2, 3], isEnd: true)),
        Oddity(name: "a head after the end", bytes: Wire.response(1) + Wire.head(1, isEnd: true)),
        Oddity(
            name: "empty data",
            bytes: Wire.head(1) + Wire.data(1, []) + Wire.data(1, []) + Wire.data(1, [0x6F, 0x6B], isEnd: true)
        ),
        Oddity(name: "padding", bytes: Wire.head(1) + Wire.frame(0, flags: 9, stream: 1, [3, 0x6F, 0x6B, 0, 0, 0])),
        Oddity(
            name: "padding and priority of a head",
            bytes: Wire.frame(1, flags: 0x2C, stream: 1, [2, 0, 0, 0, 0, 0, 0x88, 0, 0])
                + Wire.data(1, [0x6F, 0x6B], isEnd: true)
        ),
        Oddity(
            name: "continuations",
            bytes: Wire.frame(1, stream: 1) + Wire.frame(9, stream: 1, [0x88]) + Wire.frame(9, flags: 4, stream: 1)
                + Wire.data(1, [0x6F, 0x6B], isEnd: true)
        ),
        Oddity(
            name: "sixteen informational responses",
            bytes: (0..<16).flatMap { _ in Wire.headers(1, [(":status", "103")]) } + Wire.response(1)
        ),
        Oddity(
            name: "equal lengths",
            bytes: Wire.head(1, [("content-length", "2"), ("content-length", "2, 2")])
                + Wire.data(1, [0x6F, 0x6B], isEnd: true)
        ),
        Oddity(name: "the reserved bits", bytes: [0, 0, 1, 1, 5] + Wire.integer(0x8000_0001) + [0x88]),
    ]

    @Test(arguments: oddities)
    func `what a peer may do is not held against it`(_ one: Oddity) async throws {
        let behaviour = RawPeer.Behaviour { request in
            [.send(request.number == 0 ? one.bytes : Wire.response(request.stream))]
        }
        try await RawPeer.run(behaviour) { (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            for _ in 0..<2 {
                let response = try await transport.exchange(TransportRequest(origin: origin, target: "/"))
                #expect(response.status == .ok)
                let bytes = response.body.collectedBytes.map { Array($0.readableBytesView) }
                #expect(bytes == [0x6F, 0x6B] || one.name == "the reserved bits")
            }
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test func `a response to HEAD has no body, whatever length it tells`() async throws {
        let behaviour = RawPeer.Behaviour { request in
            let head = Wire.head(request.stream, [("content-length", "99999999")], isEnd: request.number == 0)
            return switch request.number {
            case 0: [.send(head)]
            case 1: [.send(head + Wire.data(request.stream, [], isEnd: true))]
            default: [.send(head + Wire.data(request.stream, [1], isEnd: true))]
            }
        }
        try await RawPeer.run(behaviour) { (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            for mode in [TransportRequest.ResponseMode.collected(upTo: 10), .streamed] {
                var request = TransportRequest(method: .head, origin: origin, target: "/")
                request.responseMode = mode
                let response = try await transport.exchange(request)
                #expect(response.headers[.contentLength] == "99999999")
                #expect(try await response.body.collect(upTo: 0).readableBytes == 0)
            }
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(TransportRequest(method: .head, origin: origin, target: "/"))
            }
            #expect(error?.code == .protocolViolation)
        }
    }
}
