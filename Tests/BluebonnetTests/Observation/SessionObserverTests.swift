// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SessionObserverTests {
    /// Writes the names of events down, of those of the transport none.
    private struct Noting: SessionObserver {
        let events: Recorder<String>

        func observe(_ event: CallEvent, of call: Call) {
            if let name = event.name { self.events.record(name) }
        }
    }

    private let request: Request
    private let events = Recorder<String>()

    init() throws {
        self.request = Request(url: try Peer.url("http://h/"))
    }

    private func session(
        _ transport: StubTransport,
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.observers = [Noting(events: self.events)]
        change(&configuration)
        return Session(configuration: configuration, transport: transport)
    }

    private static let whole = [
        "callStarted", "exchangeStarted", "responseReceived 200", "responseBodyEnded 4",
    ]

    @Test func `a call tells its events in their order`() async throws {
        let session = self.session(StubTransport { _ in .plain("body") })
        _ = try await session.response(for: self.request)
        #expect(self.events.elements == Self.whole + ["callEnded"])
    }

    @Test func `a value is decoded before its call ends`() async throws {
        let session = self.session(StubTransport { _ in .plain("body") })
        _ = try await session.value(for: self.request, serializer: HTTPResponseSerializer())
        #expect(self.events.elements == Self.whole + ["decodingStarted", "decodingEnded", "callEnded"])
    }

    @Test func `a refused response fails its call`() async throws {
        let session = self.session(StubTransport { _ in .plain("body", status: 500) })
        _ = try? await session.value(for: self.request, serializer: HTTPResponseSerializer())
        #expect(
            self.events.elements.suffix(3) == [
                "decodingStarted", "decodingFailed unacceptableStatus", "callFailed unacceptableStatus",
            ]
        )
    }

    @Test(arguments: [4, 100_000]) func `a stream that is refused fails its call`(_ byteCount: Int) async throws {
        let session = self.session(
            StubTransport { _ in
                let source = ScriptedBody([.bytes(1), .bytes(byteCount - 1)])
                let body = ResponseBody(source: source, expectedLength: Int64(byteCount))
                return TransportResponse(status: .notFound, body: body)
            }
        )
        let api = HTTPSession(session: session)
        let error = await #expect(throws: SessionError.self) { _ = try await api.stream(self.request.url) }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.body.count == (byteCount == 4 ? 4 : 0))
        #expect(self.events.elements.last == "callFailed unacceptableStatus")
        #expect(self.events.elements.count { $0.hasPrefix("call") } == 2)
        #expect(session.admission.counts == (0, 0))
    }

    /// How a stream is requested.
    enum StreamForm: CaseIterable, Sendable { case bytes, events, firstEvent }

    @Test(.bug(id: "F280"), .bug(id: "F328"), arguments: [true, false], StreamForm.allCases)
    func `a stream that is refused fails its call with the refusal, whatever becomes of its body`(
        _ isCut: Bool,
        _ form: StreamForm
    ) async throws {
        let clock = ManualSessionClock()
        let failure = TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true)
        let transport = StubTransport { _ in
            let source = ScriptedBody([.text("bo"), isCut ? .fail(failure) : .hang])
            return TransportResponse(status: .notFound, body: ResponseBody(source: source, expectedLength: 4))
        }
        let session = self.session(transport) { $0.clock = clock.clock }
        let url = self.request.url
        let call = Task {
            let api = HTTPSession(session: session)
            switch form {
            case .bytes: _ = try await api.stream(url)
            case .events: _ = try await api.events(url)
            case .firstEvent: _ = try await api.prepare(.get, url).events().all()
            }
        }
        if !isCut {
            await clock.waitForSleeps(1)
            clock.advance(by: .seconds(5))
        }
        let error = await #expect(throws: SessionError.self) { try await call.value }
        #expect(error?.code == .unacceptableStatus)
        #expect(self.events.elements.last == "callFailed unacceptableStatus")
        #expect(self.events.elements.count { $0.hasPrefix("call") } == 2)
        #expect(session.admission.counts == (0, 0))
    }

    @Test func `a streamed call ends with its body`() async throws {
        let session = self.session(
            StubTransport { _ in
                TransportResponse(
                    status: .ok,
                    body: ResponseBody(source: ScriptedBody([.text("bo"), .text("dy")]), expectedLength: 4)
                )
            }
        )
        let response = try await session.send(self.request)
        #expect(self.events.elements == Array(Self.whole.prefix(3)))
        for try await _ in response.body {}
        #expect(self.events.elements == Self.whole + ["callEnded"])
    }

    @Test func `a streamed response that is dropped cancels its call`() async throws {
        let session = self.session(
            StubTransport { _ in
                TransportResponse(status: .ok, body: ResponseBody(source: ScriptedBody([.hang]), expectedLength: nil))
            }
        )
        _ = try await session.send(self.request)
        #expect(self.events.elements == Array(Self.whole.prefix(3)) + ["callCancelled"])
    }

    @Test func `a failed exchange fails its call`() async throws {
        let session = self.session(
            StubTransport { _ in throw TransportError(.connectFailed, phase: .connect, reason: "refused") }
        )
        _ = try? await session.response(for: self.request)
        #expect(
            self.events.elements == [
                "callStarted", "exchangeStarted", "exchangeFailed connectFailed", "callFailed connectFailed",
            ]
        )
    }

    @Test(.bug(id: "F447"), arguments: [false, true], [200, 404])
    func `a body that breaks off is told the same, collected or streamed`(
        _ isStreamed: Bool,
        _ status: Int
    ) async throws {
        try await Peer.breakingOff(status: status, isStreamed: isStreamed) {
            $0.observers = [Noting(events: self.events)]
        }
        #expect(
            self.events.elements == [
                "callStarted", "exchangeStarted", "responseReceived \(status)", "callFailed connectionClosed",
            ]
        )
    }

    @Test func `waiting in the session's queue is told`() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { request in
            if request.target == "/slow" { for await _ in answers { break } }
            return TransportResponse(status: .ok)
        }
        let session = self.session(transport) { $0.maximumConcurrentRequests = 1 }
        let slow = Request(url: try Peer.url("http://h/slow"))
        let first = Task { try await session.response(for: slow) }
        while transport.requests.isEmpty { await Task.yield() }
        let second = Task { try await session.response(for: self.request) }
        while session.admission.counts.waiting == 0 { await Task.yield() }
        #expect(self.events.elements == ["callStarted", "exchangeStarted", "callStarted", "queueStarted"])
        continuation.yield()
        _ = try await (first.value, second.value)
        #expect(self.events.elements.contains("queueEnded"))
        #expect(self.events.elements.count { $0 == "callEnded" } == 2)
    }
}

extension CallEvent {
    /// A short name, for tests; nil for events of the transport.
    fileprivate var name: String? {
        switch self {
        case .callStarted: "callStarted"
        case .queueStarted: "queueStarted"
        case .queueEnded: "queueEnded"
        case .exchangeStarted: "exchangeStarted"
        case .transport: nil
        case .responseReceived(let status, _, _): "responseReceived \(status.code)"
        case .exchangeFailed(let error): "exchangeFailed \(error.code)"
        case .redirected: "redirected"
        case .responseBodyEnded(let byteCount, _): "responseBodyEnded \(byteCount)"
        case .decodingStarted: "decodingStarted"
        case .decodingEnded: "decodingEnded"
        case .decodingFailed(let error): "decodingFailed \(error.code)"
        case .callEnded: "callEnded"
        case .callFailed(let error): "callFailed \(error.code)"
        case .callCancelled: "callCancelled"
        default: "other"
        }
    }
}
