// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct UploadProgressTests {
    /// Gives a fixed number of bytes, at most a few at a time.
    private struct Counting: BodyReader {
        var left: Int
        var failsAt: Int?

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            if let failsAt, self.left <= failsAt { throw SerializationError(.readFailed, reason: "the source is gone") }
            let count = min(buffer.count, self.left, 10)
            self.left -= count
            return count
        }
    }

    /// A transport that takes the whole body, as often as it is told to.
    private static func taking(times: Int = 1) -> StubTransport {
        StubTransport { request in
            var total = 0
            for _ in 0..<times {
                total = 0
                switch request.body {
                case .none: break
                case .bytes(let buffer): total = buffer.readableBytes
                case .reader, .file:
                    guard var reader = try request.body.makeReader() else { break }
                    total = try withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
                        var sum = 0
                        while true {
                            let count = try reader.read(into: buffer)
                            if count == 0 { return sum }
                            sum += count
                        }
                    }
                }
            }
            return .plain("\(total)")
        }
    }

    private func request(_ body: RequestBody) throws -> Request {
        Request(method: .post, url: try Peer.url("http://h/"), body: body)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var body: RequestBody
        var count: Int64
        var total: Int64?
    }

    @Test(
        .bug(id: "F798"),
        arguments: [
            Case(testDescription: "none", body: .none, count: 0, total: 0),
            Case(testDescription: "empty", body: .data(Data()), count: 0, total: 0),
            Case(testDescription: "small", body: .data(Data(count: 100)), count: 100, total: 100),
            Case(testDescription: "large", body: .data(Data(count: 1_000_000)), count: 1_000_000, total: 1_000_000),
            Case(
                testDescription: "stream",
                body: .stream(length: 55, makeReader: { Counting(left: 55) }),
                count: 55,
                total: 55
            ),
            Case(
                testDescription: "stream of unknown length",
                body: .stream(length: nil, makeReader: { Counting(left: 55) }),
                count: 55,
                total: 55
            ),
        ]
    )
    func `counts every byte of the request`(_ example: Case) async throws {
        let session = Session(transport: Self.taking())
        let monitor = TransferMonitor()
        let response = try await session.response(for: self.request(example.body), monitor: monitor)
        #expect(response.body == Data("\(example.count)".utf8))
        var last: TransferProgress?
        for await progress in monitor.upload { last = progress }
        #expect(last == TransferProgress(completed: example.count, total: example.total))
        #expect(monitor.download.isFinished)
        #expect(
            monitor.download.current
                == TransferProgress(completed: Int64(response.body.count), total: Int64(response.body.count))
        )
    }

    @Test func `starts again when the body is sent again`() async throws {
        let session = Session(transport: Self.taking(times: 3))
        let monitor = TransferMonitor()
        let body = RequestBody.stream(length: 55, makeReader: { Counting(left: 55) })
        _ = try await session.response(for: self.request(body), monitor: monitor)
        #expect(monitor.upload.current == TransferProgress(completed: 55, total: 55))
    }

    @Test(.bug(id: "F281"), arguments: [100, 1_000_000])
    func `a redirect to GET leaves the count of the body that was sent before it`(_ byteCount: Int) async throws {
        let transport = StubTransport { request in
            _ = try request.body.collect()
            guard request.method == .post else { return .plain("end") }
            return .plain("", status: 303, headers: [.location: "/end"])
        }
        let monitor = TransferMonitor()
        let request = try self.request(.data(Data(count: byteCount)))
        let response = try await Session(transport: transport).response(for: request, monitor: monitor)
        #expect(response.body == Data("end".utf8))
        #expect(transport.requests.map(\.method) == [.post, .get])
        let count = Int64(byteCount)
        #expect(monitor.upload.current == TransferProgress(completed: count, total: count))
    }

    @Test func `a small body counts when it is sent, before there is a response`() async throws {
        let gate = Gate()
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: "done", effect: .hold(.beforeResponse, until: gate)))
            let session = Session(transport: try server.makeTransport())
            let monitor = TransferMonitor()
            let request = Request(method: .post, url: try Peer.url(server.url), body: .data(Data(count: 100)))
            let response = Task { try await session.response(for: request, monitor: monitor) }
            for await progress in monitor.upload where progress.completed == 100 { break }
            #expect(monitor.upload.current == TransferProgress(completed: 100, total: 100))
            #expect(!gate.isOpen)
            gate.open()
            #expect(try await response.value.body == Data("done".utf8))
            await session.transport.shutdown()
        }
    }

    @Test func `ends both sequences when the request fails`() async throws {
        let session = Session(transport: Self.taking())
        let body = RequestBody.stream(length: 55, makeReader: { Counting(left: 55, failsAt: 35) })
        let monitor = TransferMonitor()
        await #expect(throws: SessionError.self) {
            try await session.response(for: self.request(body), monitor: monitor)
        }
        var last: TransferProgress?
        for await progress in monitor.upload { last = progress }
        #expect(last == TransferProgress(completed: 20, total: 55))
        for await _ in monitor.download {}
    }

    @Test func `leaves the body alone when nobody watches`() async throws {
        let transport = Self.taking()
        _ = try await Session(transport: transport).response(for: self.request(.data(Data(count: 1_000_000))))
        guard case .bytes(let buffer)? = transport.requests.first?.body else {
            Issue.record("not in one piece")
            return
        }
        #expect(buffer.readableBytes == 1_000_000)
    }
}
