// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// What the error about the total limit says where the transport is the one that notices it.
@Suite(.timeLimit(.minutes(1))) struct DeadlineErrorTests {
    enum Form: CaseIterable, Sendable { case response, progress, stream, wholeStream, lines, task, download, parallel }

    private static let late = {
        var error = TransportError(
            .timedOut,
            phase: .total,
            reason: "the exchange took longer than its limit in all",
            isRequestSent: true
        )
        error.requestBodyByteCount = 7
        return error
    }()

    private let clock = ManualSessionClock()

    /// The body of the first response fails, and each request for a part of it.
    private static func answer(_ request: TransportRequest) throws -> TransportResponse {
        guard !request.headers.contains(.range) else { throw Self.late }
        return TransportResponse(
            status: .ok,
            headers: [.eTag: "\"a\"", .acceptRanges: "bytes"],
            body: ResponseBody(source: ScriptedBody([.bytes(10), .fail(Self.late)]), expectedLength: 1_000)
        )
    }

    @Test(.bug(id: "F448"), .bug(id: "F527"), arguments: Form.allCases)
    func `names the limit and the server, whatever the form of the call`(_ form: Form) async throws {
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        configuration.timeouts.total = .seconds(3)
        let session = Session(configuration: configuration, transport: StubTransport { try Self.answer($0) })
        let request = Request(url: try Peer.url("http://h/"))
        let directory = try TemporaryDirectory()
        let error = await #expect(throws: SessionError.self) {
            switch form {
            case .response: _ = try await session.response(for: request)
            case .progress: _ = try await session.response(for: request, monitor: TransferMonitor())
            case .stream: for try await _ in try await session.send(request).body {}
            case .wholeStream: _ = try await session.send(request).response()
            case .lines: for try await _ in try await session.send(request).lines {}
            case .task:
                let task = session.dataTask(with: request, serializer: HTTPResponseSerializer())
                task.resume()
                _ = try await task.value
            case .download: _ = try await session.download(request, to: directory.file("a"))
            case .parallel:
                var policy = DownloadPolicy()
                policy.parallelism = 2
                policy.smallestRangeByteCount = 100
                _ = try await session.download(request, to: directory.file("a"), policy: policy)
            }
        }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .total)
        #expect(error?.isRequestSent == true)
        #expect(error?.requestBodyByteCount == 7)
        #expect(error?.status == .ok)
        let limit = "the call did not end within its total limit of 3.0 seconds"
        #expect(error?.reason == limit + "; its exchange with the server was under way")
    }

    @Test(.bug(id: "F641"), arguments: TransportError.Phase.allCases)
    func `says what the transport was waiting for, if it knows`(_ phase: TransportError.Phase) async throws {
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        configuration.timeouts.total = .seconds(3)
        let transport = StubTransport { _ in
            var late = TransportError(
                .timedOut,
                phase: .total,
                reason: "the exchange took longer than its limit in all"
            )
            late.phaseUnderWay = phase
            throw late
        }
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(url: try Peer.url("http://h/"))
        let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
        #expect(error?.phase == .total)
        #expect(error?.isRequestSent == false)
        #expect(error?.reason == "the call did not end within its total limit of 3.0 seconds; \(phase.clause)")
    }

    private static func request(_ limit: Duration) throws -> Request {
        var request = Request(method: .post, url: try Peer.url("http://h/"))
        request.options.totalTimeout = limit
        return request
    }

    @Test(.bug(id: "F648"), arguments: [Duration.zero, .seconds(-1)])
    func `a limit that has passed before the request is sent says so`(_ limit: Duration) async throws {
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        let transport = StubTransport()
        let session = Session(configuration: configuration, transport: transport)
        let error = await #expect(throws: SessionError.self) {
            _ = try await session.response(for: Self.request(limit))
        }
        #expect(error?.code == .timedOut && error?.phase == .total)
        #expect(error?.isRequestSent == false)
        #expect(error?.reason.hasSuffix("; it had passed before the request was sent") == true)
        #expect(transport.requests.isEmpty)
    }
}
