// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// Responses over HTTP/2 whose bodies have another length than announced: they do not affect the other streams.
@Suite(.timeLimit(.minutes(1))) struct HTTP2ResponseLengthTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var length: String
        var body: ScriptedResponse.Body = "abc"
        var framing = ScriptedResponse.Framing.length
    }

    @Test(.bug(id: "F308")) func `a file that becomes shorter while it is sent ends its stream and not the connection`()
        async throws
    {
        let url = FileManager.default.temporaryDirectory.appending(path: "shorter-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(PatternBytes.bytes(in: 0..<3_000_000)).write(to: url)
        let served = try ServedFile(path: url.path(percentEncoded: false))
        try await HTTP2ServingTests.run { server, transport, request async throws in
            let gate = Gate()
            server.respond { request in
                var response = served.response(to: request)
                response.effect = .hold(.afterBody(1000), until: gate)
                return response
            }
            var request = request
            request.responseMode = .streamed
            let answer = try await transport.exchange(request)
            #expect(answer.headers[.contentLength] == "3000000")
            try FileHandle(forWritingTo: url).truncate(atOffset: 1_000_000)
            gate.open()
            let error = await #expect(throws: TransportError.self) {
                for try await _ in answer.body {}
            }
            #expect(error?.code == .connectionClosed)
            server.enqueue(ScriptedResponse(body: "next"))
            let next = try await transport.exchange(request)
            #expect(String(buffer: try await next.body.collect(upTo: 100)) == "next")
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test(
        .bug(id: "F308"),
        arguments: [
            Case(testDescription: "too short", length: "2"),
            Case(testDescription: "too long", length: "4", framing: .asGiven),
            Case(testDescription: "for an empty body", length: "1", body: .none),
            Case(testDescription: "not a number", length: "three", framing: .asGiven),
        ]
    )
    func `a Content-Length that is wrong is an error of the script, and the connection goes on`(
        _ example: Case
    ) async throws {
        try await HTTP2ServingTests.run { server, transport, request async throws in
            var response = ScriptedResponse(headers: [.contentLength: example.length], body: example.body)
            response.framing = example.framing
            server.enqueue(response, ScriptedResponse(body: "next"))
            let refused = try await transport.exchange(request)
            #expect(refused.status.code == 500)
            _ = try await refused.body.collect(upTo: 1000)
            let failures = server.takeFailures()
            #expect(failures.map(\.code) == [.handlerFailed])
            #expect(failures.first?.reason.contains("Content-Length") == true)
            let next = try await transport.exchange(request)
            #expect(String(buffer: try await next.body.collect(upTo: 100)) == "next")
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test(.bug(id: "F308")) func `the route for response fields refuses a wrong Content-Length over HTTP/2`()
        async throws
    {
        try await HTTP2ServingTests.run { server, transport, request async throws in
            var request = request
            request.target = "/response-headers?Content-Length=5"
            let refused = try await transport.exchange(request)
            #expect(refused.status.code == 500)
            #expect(server.takeFailures().map(\.code) == [.handlerFailed])
        }
    }

    @Test func `a response to HEAD, or one that a fault cuts short, may announce another length`() async throws {
        try await HTTP2ServingTests.run { server, transport, request async throws in
            var cut = ScriptedResponse(headers: [.contentLength: "1000"], body: .pattern(10))
            cut.http2Faults = [.resetStream(.afterBody(10), .internalError)]
            server.enqueue(ScriptedResponse(headers: [.contentLength: "5"]), cut)
            var head = request
            head.method = .head
            let answer = try await transport.exchange(head)
            #expect(answer.headers[.contentLength] == "5")
            var post = request
            post.method = .post
            let broken = post
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(broken) }
            #expect(error?.code == .connectionClosed)
            #expect(server.takeFailures().isEmpty)
        }
    }
}
