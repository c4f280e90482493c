// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Failures in the body of a response, whose head has arrived.
@Suite(.timeLimit(.minutes(1))) struct BodyFailureTests {
    enum Form: CaseIterable, Sendable {
        case response, progress, task, stream, wholeStream, lines, saved, download

        /// Whether the session limits the size of the body.
        var isLimited: Bool {
            switch self {
            case .response, .progress, .task: true
            default: false
            }
        }

        func run(_ session: Session, _ request: Request) async throws {
            let directory = try TemporaryDirectory()
            switch self {
            case .response: _ = try await session.response(for: request)
            case .progress: _ = try await session.response(for: request, monitor: TransferMonitor())
            case .task:
                let task = session.dataTask(with: request, serializer: HTTPResponseSerializer())
                task.resume()
                _ = try await task.value
            case .stream: for try await _ in try await session.send(request).body {}
            case .wholeStream: _ = try await session.send(request).response()
            case .lines: for try await _ in try await session.send(request).lines {}
            case .saved: _ = try await session.send(request).save(to: directory.file("a"))
            case .download: _ = try await session.download(request, to: directory.file("a"))
            }
        }
    }

    private static func check(_ error: SessionError?, _ status: Int, of url: URL) {
        #expect(error?.status?.code == status)
        #expect(error?.response?.headers[.eTag] == "\"a\"")
        #expect(error?.response?.body == Data())
        #expect(error?.response?.request?.url == url)
    }

    private static func answer(_ status: Int, breaksAfter: Int64? = nil) -> Peer.Answer {
        Peer.Answer(status: status, headers: [.eTag: "\"a\""], byteCount: 5_000, breaksAfter: breaksAfter)
    }

    @Test(.bug(id: "F447"), arguments: Peer.allCases, Form.allCases)
    func `a failure behind the head of a response has its status`(_ peer: Peer, _ form: Form) async throws {
        // A download refuses an error status for itself.
        let status = form == .download ? 203 : 404
        try await peer.answering(Self.answer(status, breaksAfter: 500)) { session, url in
            let error = await #expect(throws: SessionError.self) { try await form.run(session, Request(url: url)) }
            #expect(error?.code == .connectionClosed)
            Self.check(error, status, of: url)
        }
    }

    @Test(.bug(id: "F447"), arguments: Peer.allCases, Form.allCases.filter(\.isLimited))
    func `a response beyond the limit has its status`(_ peer: Peer, _ form: Form) async throws {
        try await peer.answering(Self.answer(404)) {
            $0.limits.responseByteCount = 2_000
        } _: { session, url in
            let error = await #expect(throws: SessionError.self) { try await form.run(session, Request(url: url)) }
            #expect(error?.code == .responseTooLarge)
            Self.check(error, 404, of: url)
        }
    }

    @Test(.bug(id: "F447"), .bug(id: "F477"), arguments: [false, true])
    func `a rule for retries takes a failed body for a failure, not for a response`(_ isDownload: Bool) async throws {
        let contexts = Recorder<RetryContext>()
        let status = isDownload ? 203 : 503
        var answer = Self.answer(status, breaksAfter: 500)
        answer.headers[.retryAfter] = "7"
        try await Peer.server.answering(answer) {
            $0.retries = RetryPolicy { context in
                contexts.record(context)
                return .stop
            }
        } _: { session, url in
            let form = isDownload ? Form.download : .response
            let error = await #expect(throws: SessionError.self) { try await form.run(session, Request(url: url)) }
            #expect(error?.code == .connectionClosed)
        }
        let context = try #require(contexts.elements.first)
        #expect(contexts.elements.count == 1)
        #expect(context.response == nil)
        // The head of a response that was no success has said when to come again.
        #expect(context.retryAfter == (isDownload ? nil : .seconds(7)))
        #expect(context.error?.code == .connectionClosed)
        #expect(context.error?.status?.code == status)
    }

    @Test(.bug(id: "F477"), arguments: [false, true])
    func `the error of a broken body has the redirects before it`(_ isCollected: Bool) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .found, headers: [.location: "/end"]))
            server.enqueue(ScriptedResponse(body: .text("hello"), effect: .close(.afterBody(2))))
            let session = Session(transport: try server.makeTransport())
            let request = try Request(parsing: server.url + "/start")
            let error = await #expect(throws: SessionError.self) {
                if isCollected {
                    _ = try await session.response(for: request)
                } else {
                    _ = try await session.send(request).response()
                }
            }
            #expect(error?.code == .connectionClosed)
            #expect(error?.response?.history.map(\.status) == [.found])
            await session.transport.shutdown()
        }
    }

    @Test(.bug(id: "F447")) func `the head that comes with an error of the transport is not printed`() {
        var error = TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true)
        error.response = TransportResponse(status: .ok, headers: [.setCookie: "token=1"])
        var dumped = ""
        dump(error, to: &dumped)
        for text in [dumped, "\(error)", String(reflecting: error)] { #expect(!text.contains("token")) }
    }
}
