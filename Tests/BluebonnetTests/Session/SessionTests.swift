// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SessionTests {
    private let request: Request

    init() throws {
        self.request = Request(url: try Peer.url("http://h/"))
    }

    private func session(
        _ transport: StubTransport,
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) -> Session {
        var configuration = Session.Configuration()
        change(&configuration)
        return Session(configuration: configuration, transport: transport)
    }

    @Test func `asks for a whole response in one piece, and for a stream where one is wanted`() async throws {
        let transport = StubTransport()
        let session = self.session(transport) { $0.limits.responseByteCount = 1000 }
        _ = try await session.response(for: self.request)
        _ = try await session.value(for: self.request, serializer: HTTPResponseSerializer())
        _ = try await session.send(self.request)
        _ = try await session.response(for: self.request, monitor: TransferMonitor())
        #expect(
            transport.requests.map(\.responseMode) == [
                .collected(upTo: 1000), .collected(upTo: 1000), .streamed, .streamed,
            ]
        )
    }

    @Test func `says what came`() async throws {
        let session = self.session(StubTransport { _ in .plain("body", status: 404, headers: [.server: "x"]) })
        let response = try await session.response(for: self.request)
        #expect(response.status == .notFound)
        #expect(response.headers == [.server: "x"])
        #expect(response.body == Data("body".utf8))
        #expect(response.url == self.request.url)
        #expect(response.method == .get)
        let streamed = try await session.send(self.request)
        #expect(streamed.status == .notFound)
        #expect(try await streamed.response().body == Data("body".utf8))
    }

    @Test func `adds its header fields to requests that do not have them`() async throws {
        let transport = StubTransport()
        var headers: HTTPFields = [.userAgent: "session", .accept: "a"]
        headers.append(HTTPField(name: .accept, value: "b"))
        let session = self.session(transport) { $0.headers = headers }
        var request = self.request
        request.headers[.userAgent] = "request"
        _ = try await session.response(for: request)
        #expect(transport.requests[0].headers[values: .userAgent] == ["request"])
        #expect(transport.requests[0].headers[values: .accept] == ["a", "b"])
    }

    @Test func `gives each exchange the limits of the session`() async throws {
        let transport = StubTransport()
        let session = self.session(transport) {
            $0.timeouts.idle = .seconds(3)
            $0.timeouts.total = .seconds(9)
        }
        _ = try await session.response(for: self.request)
        var request = self.request
        request.options.timeoutInterval = .seconds(4)
        request.options.totalTimeout = .seconds(2)
        _ = try await session.response(for: request)
        let timeouts = transport.requests.map(\.timeouts)
        #expect(timeouts.map(\.idle) == [.seconds(3), .seconds(4)])
        let totals = try timeouts.map { try #require($0.total) }
        #expect(totals[0] <= .seconds(9) && totals[0] > .seconds(8))
        #expect(totals[1] <= .seconds(2) && totals[1] > .seconds(1))
    }

    @Test(arguments: [nil, Int64(5)])
    func `refuses a response beyond its limit`(_ length: Int64?) async throws {
        let transport = StubTransport { _ in
            TransportResponse(
                status: .ok,
                body: ResponseBody(source: ScriptedBody([.bytes(3), .bytes(2)]), expectedLength: length)
            )
        }
        let session = self.session(transport) { $0.limits.responseByteCount = 4 }
        let error = await #expect(throws: SessionError.self) { try await session.response(for: self.request) }
        #expect(error?.code == .responseTooLarge)
        #expect(error?.isRequestSent == true)
    }

    @Test func `counts a request until its response is read or dropped`() async throws {
        let transport = StubTransport { _ in
            TransportResponse(status: .ok, body: ResponseBody(source: ScriptedBody([.bytes(3)]), expectedLength: 3))
        }
        let session = self.session(transport) { $0.maximumConcurrentRequests = 1 }
        var response: StreamedResponse? = try await session.send(self.request)
        #expect(session.admission.counts.active == 1)
        _ = try await response?.response()
        #expect(session.admission.counts.active == 0)
        response = try await session.send(self.request)
        #expect(session.admission.counts.active == 1)
        _ = response
        response = nil
        #expect(session.admission.counts.active == 0)
        _ = try await session.response(for: self.request)
        #expect(session.admission.counts.active == 0)
    }

    @Test func `gives a place back when a request fails`() async throws {
        let session = self.session(
            StubTransport { _ in throw TransportError(.connectFailed, phase: .connect, reason: "refused") }
        ) { $0.maximumConcurrentRequests = 1 }
        for _ in 0..<3 {
            await #expect(throws: SessionError(.connectFailed, reason: "")) { try await session.send(self.request) }
            await #expect(throws: SessionError(.connectFailed, reason: "")) {
                try await session.response(for: self.request)
            }
        }
    }

    @Test func `refuses calls after its end, and leaves a transport alone that it was given`() async throws {
        let transport = StubTransport()
        let session = self.session(transport)
        let other = self.session(transport)
        await session.shutdown()
        await session.shutdown()
        #expect(!transport.isShutDown)
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await session.response(for: self.request) }
        #expect(transport.requests.isEmpty)
        #expect(try await other.response(for: self.request).status == .ok)
    }

    @Test(arguments: [false, true])
    func `ends with the piece of code it was made for`(_ fails: Bool) async throws {
        struct Failure: Error {}
        let request = self.request
        let sessions = Recorder<Session>()
        do {
            try await Session.withSession { session in
                sessions.record(session)
                if fails { throw Failure() }
            }
            #expect(!fails)
        } catch {
            #expect(error is Failure)
            #expect(fails)
        }
        let session = try #require(sessions.elements.first)
        await #expect(throws: SessionError(.shutDown, reason: "")) { try await session.response(for: request) }
        // Its own engine is gone with it.
        let outgoing = TransportRequest(origin: Origin(scheme: .http, host: "h"), target: "/")
        await #expect(throws: TransportError(.shutDown, phase: .queue, reason: "")) {
            try await session.transport.exchange(outgoing)
        }
    }

    @Test func `does not shut the shared engine down`() async throws {
        let session = Session()
        #expect(session.transport as AnyObject === NIOTransport.shared)
        await session.shutdown()
        let other = Session()
        let refused = Request(url: try Peer.url("http://127.0.0.1:1/"))
        await #expect(throws: SessionError(.connectFailed, reason: "")) { try await other.response(for: refused) }
    }

    @Test @MainActor func `serializes large responses away from the main actor`() async throws {
        struct Where: ResponseSerializer {
            func serialize(_ response: Response) throws(SerializationError) -> Bool {
                MainQueue.isCurrent
            }
        }
        #expect(MainQueue.isCurrent)
        for (count, isMain) in [(100, true), (100_000, false)] {
            let session = self.session(
                StubTransport { _ in
                    TransportResponse(status: .ok, body: ResponseBody(ByteBuffer(repeating: 0, count: count)))
                }
            )
            #expect(try await session.value(for: self.request, serializer: Where()) == isMain)
        }
    }
}
