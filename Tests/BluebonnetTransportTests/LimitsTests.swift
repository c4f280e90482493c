// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct LimitsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var response: ScriptedResponse
        var code = TransportError.Code.limitExceeded
        var set: @Sendable (inout TransportLimits) -> Void
    }

    static let head = "HTTP/1.1 200 OK\r\n"
    static let cases = [
        Case(
            testDescription: "the head",
            response: .raw(head + "A: " + String(repeating: "a", count: 900) + "\r\nContent-Length: 0\r\n\r\n")
        ) { $0.maximumHeadByteCount = 800 },
        Case(testDescription: "the fields", response: .raw(head + "A: a\r\nB: b\r\nContent-Length: 0\r\n\r\n")) {
            $0.maximumFieldCount = 2
        },
        Case(
            testDescription: "the trailers",
            response: .raw(
                head + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: " + String(repeating: "a", count: 200) + "\r\n\r\n"
            )
        ) { $0.maximumTrailerByteCount = 100 },
        Case(
            testDescription: "the informational responses",
            response: .raw(
                String(repeating: "HTTP/1.1 103 Hints\r\n\r\n", count: 3) + head + "Content-Length: 0\r\n\r\n"
            )
        ) { $0.maximumInformationalResponseCount = 2 },
        Case(
            testDescription: "the chunk lines",
            response: .raw(
                head + "Transfer-Encoding: chunked\r\n\r\n1;" + String(repeating: "a", count: 100)
                    + "\r\na\r\n0\r\n\r\n"
            )
        ) { $0.maximumChunkLineByteCount = 50 },
        Case(
            testDescription: "the decoded bytes",
            response: ScriptedResponse(
                headers: [.contentEncoding: "gzip"],
                body: .bytes(EncodedFormat.gzip.encode(EncodedFormat.text))
            ),
            code: .decompressionFailed
        ) { $0.maximumDecodedByteCount = 1_000 },
        Case(
            testDescription: "the codings",
            response: ScriptedResponse(
                headers: [.contentEncoding: "gzip, gzip"],
                body: .bytes(EncodedFormat.gzip.encode(EncodedFormat.gzip.encode(EncodedFormat.text)))
            ),
            code: .decompressionFailed
        ) { $0.maximumCodingCount = 1 },
        Case(
            testDescription: "the ratio",
            response: ScriptedResponse(
                headers: [.contentEncoding: "gzip"],
                body: .bytes(EncodedFormat.gzip.encode(EncodedFormat.text + [UInt8](repeating: 0, count: 5_000_000)))
            ),
            code: .decompressionFailed
        ) { $0.maximumDecodingRatio = 100 },
    ]

    /// Whether a limit is the transport's or the request's, the request's goes first in both directions.
    @Test(arguments: cases.indices) func `hold for a transport, and for a request before that`(
        _ index: Int
    ) async throws {
        let one = Self.cases[index]
        var tight = TransportLimits()
        one.set(&tight)
        var wide = TransportLimits()
        wide.maximumDecodingRatio = 100_000
        for (transport, request, passes) in [
            (wide, nil, true), (tight, nil, false), (wide, tight, false), (tight, wide, true),
        ] as [(TransportLimits, TransportLimits?, Bool)] {
            var configuration = NIOTransport.Configuration()
            configuration.limits = transport
            try await Engine.run(engine: configuration) { engine async throws in
                engine.server.enqueue(one.response)
                var outgoing = engine.request(.get, "/")
                outgoing.decodesContent = true
                outgoing.limits = request
                if passes {
                    #expect(try await engine.transport.exchange(outgoing).status == .ok)
                } else {
                    let error = await #expect(throws: TransportError.self) {
                        try await engine.transport.exchange(outgoing)
                    }
                    #expect(error?.code == one.code)
                }
                _ = engine.server.takeFailures()
            }
        }
    }

    @Test func `hold for one request of many on HTTP2`() async throws {
        try await HTTP2Server.run { (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            var tight = TransportRequest(origin: origin, target: "/echo")
            tight.limits = TransportLimits()
            let changes: [(inout TransportLimits) -> Void] = [
                { $0.maximumHeadByteCount = 60 }, { $0.maximumFieldCount = 2 },
            ]
            for set in changes {
                var limits = TransportLimits()
                set(&limits)
                tight.limits = limits
                let request = tight
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
                #expect(error?.code == .limitExceeded)
            }
            #expect(try await transport.exchange(TransportRequest(origin: origin, target: "/echo")).status == .ok)
        }
    }
}
