// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// Each limit of `Session.Limits`, where it takes effect.
@Suite(.timeLimit(.minutes(1))) struct SessionLimitsTests {
    private func session(
        _ transport: StubTransport,
        _ change: (inout Session.Configuration) -> Void
    ) -> Session {
        var configuration = Session.Configuration()
        change(&configuration)
        return Session(configuration: configuration, transport: transport)
    }

    private func request(_ url: String = "http://h/start") throws -> Request { Request(url: try Peer.url(url)) }

    private static func streaming(_ body: ScriptedBody, _ status: Int, _ headers: HTTPFields = [:]) -> TransportResponse
    {
        TransportResponse(
            status: .init(code: status),
            headers: headers,
            body: ResponseBody(source: body, expectedLength: nil)
        )
    }

    @Test func `the defaults are those that the documentation states, and negative numbers count as 0`() {
        var limits = Session.Limits()
        #expect(limits.responseByteCount == 64 << 20)
        #expect(limits.discardedByteCount == 64 << 10 && limits.refusedByteCount == 64 << 10)
        #expect(limits.tokenResponseByteCount == 1 << 20)
        #expect(limits.challengeCount == 5 && limits.protectionSpaceCount == 256 && limits.cacheRefreshCount == 32)
        #expect(limits.streams.lineByteCount == 1 << 20 && limits.streams.documentByteCount == 8 << 20)
        #expect(limits.streams.events == EventLimits())
        limits.responseByteCount = -1
        limits.discardedByteCount = .min
        limits.cacheRefreshCount = -1
        #expect(limits.responseByteCount == 0 && limits.discardedByteCount == 0 && limits.cacheRefreshCount == 0)
    }

    @Test(.bug(id: "F750"), arguments: [9, 10])
    func `responseByteCount bounds a streamed response that is collected without a limit`(_ limit: Int) async throws {
        let transport = StubTransport { _ in Self.streaming(ScriptedBody([.bytes(10)]), 200) }
        let session = self.session(transport) { $0.limits.responseByteCount = limit }
        let prepared = try HTTPSession(session: session).prepare(.get, Peer.url("http://h/"))
        for response in [try await session.send(self.request()), try await prepared.stream()] {
            if limit < 10 {
                let error = await #expect(throws: SessionError.self) { try await response.response() }
                #expect(error?.code == .responseTooLarge)
            } else {
                #expect(try await response.response().body.count == 10)
            }
        }
        // An argument replaces the session's limit.
        #expect(try await session.send(self.request()).response(upTo: 10).body.count == 10)
    }

    @Test(arguments: [9, 10]) func `tokenResponseByteCount bounds what a refresh reads`(_ limit: Int) async throws {
        let transport = StubTransport { request in
            if request.target == "/token" { return Self.streaming(ScriptedBody([.bytes(10)]), 200) }
            return .plain("", status: request.headers[.authorization] == "Bearer fresh" ? 200 : 401)
        }
        let refreshed = Recorder<SessionError.Code?>()
        let authenticator = FakeAuthenticator { _, context in
            do {
                _ = try await context.response(for: self.request("http://h/token"))
            } catch let error as SessionError {
                refreshed.record(error.code)
                throw error
            }
            refreshed.record(nil)
            return AccessToken("fresh")
        }
        let session = self.session(transport) {
            $0.limits.tokenResponseByteCount = limit
            $0.authentication = .tokens(TokenSource(authenticator), for: Origin(scheme: .http, host: "h"))
        }
        let response = try? await session.response(for: self.request())
        #expect(response?.status.code == (limit == 10 ? 200 : nil))
        #expect(refreshed.elements == [limit == 10 ? nil : .responseTooLarge])
    }

    @Test(arguments: [9, 10]) func `responseByteCount bounds what is collected`(_ limit: Int) async throws {
        let transport = StubTransport { _ in Self.streaming(ScriptedBody([.bytes(10)]), 200) }
        let session = self.session(transport) { $0.limits.responseByteCount = limit }
        if limit == 10 {
            #expect(try await session.response(for: self.request()).body.count == 10)
        } else {
            let error = await #expect(throws: SessionError.self) { try await session.response(for: self.request()) }
            #expect(error?.code == .responseTooLarge)
        }
    }

    // MARK: Responses that are not delivered

    enum Stage: String, CaseIterable, Sendable {
        case redirect, challenge, token, validation
    }

    /// Whether the body of a response that a stage replaces is read to its end: one more read finds it.
    @Test(arguments: Stage.allCases, [9, 10])
    func `discardedByteCount bounds what is read of a response that is not delivered`(
        _ stage: Stage,
        _ limit: Int
    ) async throws {
        let body = ScriptedBody([.bytes(10)])
        let isFirst = Atomic(true)
        let transport = StubTransport { request in
            if stage == .validation, request.headers[.ifNoneMatch] == nil {
                return .plain("stored", headers: [.eTag: "\"a\"", .cacheControl: "max-age=0, stale-if-error=60"])
            }
            guard isFirst.exchange(false, ordering: .relaxed) else { return .plain("end") }
            switch stage {
            case .redirect: return Self.streaming(body, 302, [.location: "/end"])
            case .challenge: return Self.streaming(body, 401, [.wwwAuthenticate: "Basic realm=\"r\""])
            case .token: return Self.streaming(body, 401)
            case .validation: return Self.streaming(body, 503)
            }
        }
        let session = self.session(transport) { configuration in
            configuration.limits.discardedByteCount = limit
            let home = Origin(scheme: .http, host: "h", port: 80)
            switch stage {
            case .challenge: configuration.authentication = .basic("ada", "s3cret", for: home)
            case .token:
                let tokens = TokenSource(FunctionAuthenticator { AccessToken("new") }, token: AccessToken("old"))
                configuration.authentication = .tokens(tokens, for: home)
            case .validation: configuration.cache = .memory()
            case .redirect: break
            }
        }
        if stage == .validation { _ = try await session.response(for: self.request()) }
        #expect(try await session.response(for: self.request()).status == .ok)
        #expect(body.readCount == (limit < 10 ? 1 : 2))
    }

    @Test(arguments: [9, 10])
    func `discardedByteCount bounds what is read of a failed attempt`(_ limit: Int) async throws {
        let clock = ManualSessionClock()
        let body = ScriptedBody([.bytes(10)])
        let isFirst = Atomic(true)
        let transport = StubTransport { _ in
            isFirst.exchange(false, ordering: .relaxed) ? Self.streaming(body, 503) : .plain("end")
        }
        var configuration = Session.Configuration.retrying(.slow(), clock: clock)
        configuration.limits.discardedByteCount = limit
        let session = Session(configuration: configuration, transport: transport)
        let call = Task { try await session.response(for: self.request()) }
        await clock.waitForSleeps(1)
        let expected = limit < 10 ? 1 : 2
        while body.readCount < expected { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(body.readCount == expected)
        clock.advance(by: .seconds(60))
        #expect(try await call.value.status == .ok)
    }

    @Test(arguments: [9, 10]) func `refusedByteCount bounds the body of an error`(_ limit: Int) async throws {
        let transport = StubTransport { _ in Self.streaming(ScriptedBody([.bytes(10)]), 404) }
        var configuration = Session.Configuration()
        configuration.limits.refusedByteCount = limit
        let api = try HTTPSession("http://h/", configuration: configuration, transport: transport)
        let error = await #expect(throws: SessionError.self) { try await api.stream("missing") }
        #expect(error?.status == .notFound)
        #expect(error?.response?.body.count == (limit < 10 ? 0 : 10))
    }

    // MARK: Authentication

    @Test(arguments: [0, 2, 5]) func `challengeCount bounds the answers to one request`(_ limit: Int) async throws {
        let count = Atomic(0)
        let transport = StubTransport { _ in
            let nonce = count.add(1, ordering: .relaxed).newValue
            let challenge = "Digest realm=\"r\", nonce=\"n\(nonce)\", qop=\"auth\", stale=true"
            return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
        }
        let session = self.session(transport) { configuration in
            configuration.limits.challengeCount = limit
            configuration.authentication = .digest("ada", "s3cret", for: Origin(scheme: .http, host: "h", port: 80))
        }
        #expect(try await session.response(for: self.request()).status == .unauthorized)
        #expect(transport.requests.count == 1 + limit)
    }

    @Test(arguments: [1, 2]) func `protectionSpaceCount bounds what is known of servers`(_ limit: Int) async throws {
        let transport = StubTransport { request in
            guard request.headers[.authorization] == nil else { return .plain("end") }
            return .plain("", status: 401, headers: [.wwwAuthenticate: "Basic realm=\"r\""])
        }
        let session = self.session(transport) { configuration in
            configuration.limits.protectionSpaceCount = limit
            configuration.authentication = AuthenticationPolicy(
                ["a", "b"].map { .basic("ada", "s3cret", for: Origin(scheme: .http, host: $0, port: 80)) }
            )
        }
        for host in ["a", "b", "a"] { _ = try await session.response(for: self.request("http://\(host)/")) }
        // Two for each that is not known.
        #expect(transport.requests.count == (limit == 1 ? 6 : 5))
    }

    // MARK: Cache

    @Test(arguments: [0, 1]) func `cacheRefreshCount bounds the refreshes under way`(_ limit: Int) async throws {
        let now = Mutex<Int64>(1_000_000)
        let transport = StubTransport { request in
            if request.headers[.ifNoneMatch] != nil { try await untilCancelled() }
            return .plain("x", headers: [.eTag: "\"a\"", .cacheControl: "max-age=1, stale-while-revalidate=600"])
        }
        let session = self.session(transport) { configuration in
            configuration.limits.cacheRefreshCount = limit
            configuration.cache = .memory()
            configuration.cache?.wallClock = WallClock { now.withLock { $0 } }
        }
        for path in ["/a", "/b"] { _ = try await session.response(for: self.request("http://h\(path)")) }
        now.withLock { $0 += 10 }
        for path in ["/a", "/b"] { _ = try await session.response(for: self.request("http://h\(path)")) }
        while transport.requests.count < 2 + limit { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(transport.requests.count == 2 + limit)
    }

    // MARK: Streams

    enum Reader: String, CaseIterable, Sendable {
        case lines, byteLines, documents, sequence, events, source
    }

    @Test(arguments: Reader.allCases, [false, true])
    func `the limits of streams hold where the reader is given none`(_ reader: Reader, _ isOwn: Bool) async throws {
        struct Row: Decodable {}
        let transport = StubTransport { _ in
            let text =
                switch reader {
                case .lines, .byteLines: "0123456789\n"
                case .documents: "{\"a\": 12}\n"
                case .sequence: "\u{1E}{\"a\": 12}\n"
                case .events, .source: "data: 67\n\n"
                }
            return Self.streaming(ScriptedBody([.text(text)]), 200, [.contentType: "text/event-stream"])
        }
        let session = self.session(transport) { configuration in
            configuration.limits.streams.lineByteCount = 7
            configuration.limits.streams.documentByteCount = 7
            configuration.limits.streams.events.lineByteCount = 7
        }
        let response = try await session.send(self.request())
        func count(_ elements: some AsyncSequence) async throws -> Int {
            var count = 0
            for try await _ in elements {
                count += 1
                if reader == .source { break }
            }
            return count
        }
        func run() async throws -> Int {
            switch reader {
            case .lines: try await count(isOwn ? response.lines(LineOptions(lineByteCount: 10)) : response.lines)
            case .byteLines: try await count(response.byteLines(LineOptions(lineByteCount: isOwn ? 10 : nil)))
            case .documents:
                try await count(
                    response.jsonLines(as: Row.self, limits: isOwn ? ParsingLimits(byteCount: 10) : nil)
                )
            case .sequence:
                try await count(
                    response.jsonTextSequence(as: Row.self, limits: isOwn ? ParsingLimits(byteCount: 11) : nil)
                )
            case .events: try await count(response.events(limits: isOwn ? EventLimits() : nil))
            case .source:
                try await {
                    var options = EventSource.Options()
                    options.limits = isOwn ? EventLimits() : nil
                    return try await count(session.events(for: self.request(), reconnecting: options))
                }()
            }
        }
        if isOwn {
            #expect(try await run() == 1)
        } else {
            let error = await #expect(throws: SessionError.self) { _ = try await run() }
            #expect(error?.code == .limitExceeded || error?.code == .serializationFailed)
        }
    }
}
