// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct VerbProgressTests {
    typealias Report = @Sendable (TransferProgress) -> Void

    /// A call of a verb with a closure for its progress, and the bytes that the closure is told of.
    struct Verb: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var byteCount: Int64
        var send: @Sendable (HTTPSession, @escaping Report) async throws -> Void
    }

    private static let bytes = RequestBody.data(Data(count: 100_000))
    private static let responseCount: Int64 = 30_000

    private static let verbs = [
        Verb(testDescription: "get", byteCount: responseCount) { api, report in
            _ = try await api.get("p", progress: report)
        },
        Verb(testDescription: "delete", byteCount: responseCount) { api, report in
            try await api.delete("p", progress: report)
        },
        Verb(testDescription: "post without a body", byteCount: responseCount) { api, report in
            try await api.post("p", progress: report)
        },
        Verb(testDescription: "post", byteCount: 100_000) { api, report in
            try await api.post("p", body: bytes, progress: report)
        },
        Verb(testDescription: "post with parameters", byteCount: 3) { api, report in
            try await api.post("p", parameters: ["a": 1], progress: report)
        },
        Verb(testDescription: "put", byteCount: 100_000) { api, report in
            try await api.put("p", body: bytes, progress: report)
        },
        Verb(testDescription: "patch", byteCount: 100_000) { api, report in
            try await api.patch("p", body: bytes, progress: report)
        },
        Verb(testDescription: "download", byteCount: responseCount) { api, report in
            let directory = try TemporaryDirectory()
            _ = try await api.download("p", to: directory.file("a"), progress: report)
        },
    ]

    /// Takes the whole request, and answers in three pieces.
    private static func api() throws -> HTTPSession {
        let transport = StubTransport { request in
            _ = try request.body.collect()
            let pieces = Array(repeating: ScriptedBody.Step.bytes(10_000), count: 3)
            return TransportResponse(
                status: .ok,
                body: ResponseBody(source: ScriptedBody(pieces), expectedLength: Self.responseCount)
            )
        }
        return try HTTPSession("http://h", transport: transport)
    }

    @Test(arguments: verbs) func `a verb reports the total first and the last step always`(_ verb: Verb) async throws {
        let steps = Recorder<TransferProgress>()
        try await verb.send(Self.api()) { steps.record($0) }
        let seen = steps.elements
        #expect(seen.last == TransferProgress(completed: verb.byteCount, total: verb.byteCount))
        #expect(seen.map(\.completed) == seen.map(\.completed).sorted())
        #expect(seen.allSatisfy { $0.completed == 0 || $0.total == verb.byteCount })
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE"])
    func `a monitor follows both directions of a verb`(_ name: String) async throws {
        let method = try #require(HTTPRequest.Method(rawValue: name))
        let body = name == "GET" || name == "DELETE" ? nil : Self.bytes
        var call = try Self.api().prepare(method, "p", body: body)
        let monitor = TransferMonitor()
        call.monitor = monitor
        _ = try await call.response()
        let sent: Int64 = body == nil ? 0 : 100_000
        #expect(monitor.upload.current == TransferProgress(completed: sent, total: sent))
        #expect(monitor.download.current == TransferProgress(completed: Self.responseCount, total: Self.responseCount))
        #expect(monitor.upload.isFinished && monitor.download.isFinished)
    }

    @Test func `a call that fails reports its last step, too`() async throws {
        struct Failing: BodyReader {
            var left = 55

            mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
                if self.left <= 35 { throw SerializationError(.readFailed, reason: "the source is gone") }
                self.left -= 10
                return 10
            }
        }
        let steps = Recorder<TransferProgress>()
        await #expect(throws: SessionError.self) {
            try await Self.api().put("p", body: .stream(length: 55, makeReader: { Failing() })) { steps.record($0) }
        }
        #expect(steps.elements.last == TransferProgress(completed: 20, total: 55))
    }
}
