// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(5))) struct TokenSourceTests {
    struct Failure: Error {}

    /// Sends requests at the same time, and gives the status or the error of each.
    static func send(
        _ count: Int,
        _ session: Session,
        _ url: String = "http://h/"
    ) async throws -> [Result<Int, any Error>] {
        let request = Request(url: try Peer.url(url))
        return await withTaskGroup(of: Result<Int, any Error>.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do { return .success(try await session.response(for: request).status.code) } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func isRefused(_ result: Result<Int, any Error>) -> Bool {
        if case .failure(let error as SessionError) = result { error.code == .authenticationFailed } else { false }
    }

    // MARK: One refresh

    @Test func `100 refused requests make one refresh over HTTP/1.1, a hundred times`() async throws {
        try await TestServer.withServer { server in
            server.respond(to: "/x") { request in
                let isFresh = request.headers[.authorization] == "Bearer fresh1"
                return ScriptedResponse(status: isFresh ? .ok : .unauthorized)
            }
            let transport = try server.makeTransport()
            for _ in 0..<100 {
                let authenticator = FakeAuthenticator()
                let tokens = TokenSource(authenticator, token: AccessToken("old"))
                var configuration = Session.Configuration()
                configuration.authentication = .tokens(
                    tokens,
                    for: Origin(scheme: .http, host: "127.0.0.1", port: server.port)
                )
                let session = Session(configuration: configuration, transport: transport)
                let results = try await Self.send(100, session, "\(server.url)/x")
                #expect(results.allSatisfy { (try? $0.get()) == 200 })
                #expect(authenticator.calls.elements == ["old"])
            }
            await transport.shutdown()
        }
    }

    @Test func `the first token is got once, before anything is sent`() async throws {
        let server = TokenServer("fresh1")
        let authenticator = FakeAuthenticator()
        let results = try await Self.send(100, server.session(TokenSource(authenticator)))
        #expect(results.allSatisfy { (try? $0.get()) == 200 })
        #expect(authenticator.calls.elements == [nil])
        #expect(server.transport.requests.count == 100)
    }

    @Test func `a refusal of a token that was replaced in the meantime needs no refresh`() async throws {
        let arrived = Recorder<Bool>()
        let authenticator = FakeAuthenticator()
        let tokens = TokenSource(authenticator, token: AccessToken("old"))
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let transport = StubTransport { request in
            guard request.headers[.authorization] == "Bearer old" else { return .plain("") }
            // The first request is answered last.
            if request.target == "/slow" {
                arrived.record(true)
                for await _ in opened { break }
            }
            return .plain("", status: 401)
        }
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(tokens, for: AuthenticationStageTests.home)
        let session = Session(configuration: configuration, transport: transport)
        async let slow = session.response(for: AuthenticationStageTests.request("http://h/slow"))
        while arrived.elements.isEmpty { await Task.yield() }
        _ = try await session.response(for: AuthenticationStageTests.request())
        #expect(authenticator.calls.elements.count == 1)
        open.finish()
        #expect(try await slow.status == .ok)
        #expect(authenticator.calls.elements.count == 1)
    }

    @Test func `a token is replaced before it expires`() async throws {
        let clock = ManualSessionClock()
        let server = TokenServer("old")
        let authenticator = FakeAuthenticator()
        let token = AccessToken("old", lifetime: .seconds(100), clock: clock.clock)
        let session = server.session(TokenSource(authenticator, token: token), clock.clock)
        #expect(try await Self.send(1, session).allSatisfy { (try? $0.get()) == 200 })
        clock.advance(by: .seconds(69))
        #expect(try await Self.send(1, session).allSatisfy { (try? $0.get()) == 200 })
        #expect(authenticator.calls.elements.isEmpty)
        clock.advance(by: .seconds(1))
        server.accept("fresh1")
        #expect(try await Self.send(10, session).allSatisfy { (try? $0.get()) == 200 })
        #expect(authenticator.calls.elements == ["old"])
        #expect(server.transport.requests.count == 12)
    }

    @Test(arguments: [1, 10, 59, 61]) func `a short-lived token is used for half of its life`(_ seconds: Int) {
        let clock = ManualSessionClock()
        let token = AccessToken("t", lifetime: .seconds(seconds), clock: clock.clock)
        #expect(!token.isExpiring(at: clock.clock.now, margin: .seconds(30)))
        clock.advance(by: .seconds(seconds))
        #expect(token.isExpiring(at: clock.clock.now, margin: .seconds(30)))
    }

    // MARK: Refreshes that go wrong

    @Test func `a failed refresh fails everyone once, and clears the token`() async throws {
        let server = TokenServer("none", holding: 100)
        let authenticator = FakeAuthenticator { _, _ in throw Failure() }
        let tokens = TokenSource(authenticator, token: AccessToken("old"))
        let session = server.session(tokens)
        let results = try await Self.send(100, session)
        #expect(results.allSatisfy(Self.isRefused))
        #expect(authenticator.calls.elements == ["old"])
        #expect(tokens.token == nil)
        for case .failure(let error as SessionError) in results {
            #expect(error.underlying is Failure && error.isRequestSent && error.status == .unauthorized)
        }
        // A later call begins another one, with nothing.
        #expect(try await Self.send(1, session).allSatisfy(Self.isRefused))
        #expect(authenticator.calls.elements == ["old", nil])
        #expect(server.transport.requests.count == 100)
    }

    @Test func `a failure of the network keeps what the next refresh needs`() async throws {
        let server = TokenServer("fresh2", holding: 10)
        let authenticator = FakeAuthenticator { count, _ in
            if count == 1 { throw SessionError(.connectFailed, reason: "no network") }
            return AccessToken("fresh\(count)")
        }
        let session = server.session(TokenSource(authenticator, token: AccessToken("old")))
        #expect(try await Self.send(10, session).allSatisfy(Self.isRefused))
        #expect(try await Self.send(10, session).allSatisfy { (try? $0.get()) == 200 })
        #expect(authenticator.calls.elements == ["old", "old"])
    }

    @Test func `a refresh that returns the same token is tried once, and the 401 is delivered`() async throws {
        let server = TokenServer("none")
        let authenticator = FakeAuthenticator { _, _ in AccessToken("old") }
        let session = server.session(TokenSource(authenticator, token: AccessToken("old")))
        let results = try await Self.send(100, session)
        #expect(results.allSatisfy { (try? $0.get()) == 401 || Self.isRefused($0) })
        #expect(authenticator.calls.elements.count <= 5)
        #expect(server.transport.requests.count <= 300)
    }

    @Test func `a refresh that hangs ends at its limit, though it takes no notice of its cancellation`() async throws {
        let clock = ManualSessionClock()
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        let authenticator = FakeAuthenticator { _, _ in
            await Task.detached { for await _ in never {} }.value
            return AccessToken("late")
        }
        let tokens = TokenSource(authenticator, token: AccessToken("old"))
        let server = TokenServer("none", holding: 100)
        let session = server.session(tokens, clock.clock)
        async let results = Self.send(100, session)
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(30))
        #expect(try await results.allSatisfy(Self.isRefused))
        // What it gives in the end is dropped.
        end.finish()
        #expect(authenticator.calls.elements.count == 1)
        #expect(tokens.token?.value == "old")
    }

    @Test func `more refreshes than the window allows are refused`() async throws {
        let clock = ManualSessionClock()
        let server = TokenServer("none")
        let authenticator = FakeAuthenticator { _, _ in throw Failure() }
        let session = server.session(TokenSource(authenticator), clock.clock)
        for _ in 0..<8 { #expect(try await Self.send(1, session).allSatisfy(Self.isRefused)) }
        #expect(authenticator.calls.elements.count == 5)
        clock.advance(by: .seconds(30))
        for _ in 0..<8 { #expect(try await Self.send(1, session).allSatisfy(Self.isRefused)) }
        #expect(authenticator.calls.elements.count == 10)
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `a token that is about to expire is sent where no more refreshes are allowed, until it expires`()
        async throws
    {
        let clock = ManualSessionClock()
        let server = TokenServer("brief")
        let authenticator = FakeAuthenticator { _, _ in
            AccessToken("brief", lifetime: .seconds(10), clock: clock.clock)
        }
        var options = TokenSource.Options()
        options.refreshLimit = 1
        let session = server.session(TokenSource(authenticator, options: options), clock.clock)
        #expect(try await Self.send(1, session).allSatisfy { (try? $0.get()) == 200 })
        clock.advance(by: .seconds(9))
        #expect(try await Self.send(3, session).allSatisfy { (try? $0.get()) == 200 })
        #expect(authenticator.calls.elements.count == 1)
        clock.advance(by: .seconds(1))
        #expect(try await Self.send(1, session).allSatisfy(Self.isRefused))
        #expect(server.transport.requests.count == 4)
    }

    @Test func `a body that can be read once is not sent again, and the next call refreshes first`() async throws {
        let server = TokenServer("fresh1")
        let authenticator = FakeAuthenticator()
        let session = server.session(TokenSource(authenticator, token: AccessToken("old")))
        var request = try AuthenticationStageTests.request()
        request.method = .post
        request.body = .stream(length: 4, isReplayable: false) { AuthenticationStageTests.Bytes() }
        let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
        #expect(error?.code == .authenticationFailed)
        #expect(authenticator.calls.elements.isEmpty)
        #expect(try await session.response(for: request).status == .ok)
        #expect(server.transport.requests.count == 2)
    }

    @Test(.bug(id: "F413")) func `the error about too many refreshes names no refusal that did not happen`()
        async throws
    {
        let server = TokenServer("none")
        var options = TokenSource.Options()
        options.refreshLimit = 1
        let session = server.session(TokenSource(FakeAuthenticator { _, _ in throw Failure() }, options: options))
        _ = try await Self.send(1, session)
        let request = try AuthenticationStageTests.request()
        let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
        #expect(error?.reason.contains("1 refreshes") == true && error?.reason.contains("server") == false)
    }

    @Test(.bug(id: "F412"), arguments: [nil, AccessToken("old")])
    func `a session that ends does not fail the refresh that another session waits for`(
        _ token: AccessToken?
    ) async throws {
        let (started, end) = (Latch(), Latch())
        let authenticator = FakeAuthenticator { _, context in
            let response = try await context.response(for: AuthenticationStageTests.request("http://h/token"))
            return AccessToken(String(decoding: response.body, as: UTF8.self))
        }
        var options = TokenSource.Options()
        options.refreshLimit = 1
        let tokens = TokenSource(authenticator, token: token, options: options)
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(tokens, for: AuthenticationStageTests.home)
        func session(_ answer: @escaping @Sendable () async throws -> TransportResponse) -> Session {
            let transport = StubTransport { request in
                if request.target == "/token" { return try await answer() }
                return .plain("", status: request.headers[.authorization] == "Bearer fresh" ? 200 : 401)
            }
            return Session(configuration: configuration, transport: transport)
        }
        let ending = session {
            started.open()
            await end.wait()
            throw TransportError(.shutDown, phase: .queue, reason: "the transport has been shut down")
        }
        let other = session { .plain("fresh") }
        let failing = (0..<2).map { _ in Task { try await ending.response(for: AuthenticationStageTests.request()) } }
        await started.wait()
        let waiting = (0..<10).map { _ in Task { try await other.response(for: AuthenticationStageTests.request()) } }
        while tokens.waiterCount < 12 { await Task.yield() }
        end.open()
        for call in failing {
            let error = await #expect(throws: SessionError.self) { try await call.value }
            #expect(error?.code == .authenticationFailed)
            #expect((error?.underlying as? SessionError)?.code == .shutDown)
        }
        for call in waiting { #expect(try await call.value.status == .ok) }
        #expect(authenticator.calls.elements == [token?.value, token?.value])
    }

    // MARK: Waiting

    /// A server that gives each refresh token once has taken the old one: what it gives must not be lost with the last who waits.
    @Test func `calls that are cancelled leave the refresh, and the next one gets its token`() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let gate = Recorder<Bool>()
        let authenticator = FakeAuthenticator { _, _ in
            start.yield()
            while gate.elements.isEmpty, !Task.isCancelled { await Task.yield() }
            return AccessToken(Task.isCancelled ? "cancelled" : "fresh")
        }
        let source = TokenSource(authenticator, token: AccessToken("old"))
        let session = TokenServer("fresh").session(source)
        let tasks = (0..<10).map { _ in
            Task { try await session.response(for: AuthenticationStageTests.request()) }
        }
        for await _ in started { break }
        while source.waiterCount < tasks.count { await Task.yield() }
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(source.waiterCount == 0)
        let next = Task { try await session.response(for: AuthenticationStageTests.request()).status }
        while source.waiterCount == 0 { await Task.yield() }
        gate.record(true)
        #expect(try await next.value == .ok)
        #expect(authenticator.calls.elements.count == 1)
    }

    @Test func `a resource that refuses every token does not take it from the others`() async throws {
        let clock = ManualSessionClock()
        let transport = StubTransport { request in
            let isGood = request.target == "/ok" && request.headers[.authorization]?.hasPrefix("Bearer fresh") == true
            return .plain("", status: isGood ? 200 : 401)
        }
        let authenticator = FakeAuthenticator()
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(
            TokenSource(authenticator, token: AccessToken("fresh0")),
            for: AuthenticationStageTests.home
        )
        configuration.clock = clock.clock
        let session = Session(configuration: configuration, transport: transport)
        for _ in 0..<20 {
            #expect(try await Self.send(1, session, "http://h/bad").allSatisfy { (try? $0.get()) == 401 })
            #expect(try await Self.send(1, session, "http://h/ok").allSatisfy { (try? $0.get()) == 200 })
        }
        #expect(authenticator.calls.elements.count == 5)
        clock.advance(by: .seconds(30))
        _ = try await Self.send(1, session, "http://h/bad")
        #expect(authenticator.calls.elements.count == 6)
    }

    @Test func `the deadline of a call ends its wait, and not the refresh`() async throws {
        let clock = ManualSessionClock()
        let gate = Recorder<Bool>()
        let authenticator = FakeAuthenticator { _, _ in
            while gate.elements.isEmpty { await Task.yield() }
            return AccessToken("fresh")
        }
        let session = TokenServer("fresh").session(TokenSource(authenticator), clock.clock)
        var hurried = try AuthenticationStageTests.request()
        hurried.options.totalTimeout = .seconds(1)
        let patient = Task { try await session.response(for: AuthenticationStageTests.request()).status }
        let task = Task { [hurried] in try await session.response(for: hurried).status }
        // The limit of the refresh, and the deadline of the call.
        await clock.waitForSleeps(2)
        clock.advance(by: .seconds(1))
        let error = await #expect(throws: SessionError.self) { try await task.value }
        #expect(error?.code == .timedOut)
        #expect(error?.reason.contains("access token") == true)
        gate.record(true)
        #expect(try await patient.value == .ok)
    }

    @Test func `the program may set the token while a refresh is under way`() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let authenticator = FakeAuthenticator { _, _ in
            start.yield()
            try await untilCancelled()
        }
        let tokens = TokenSource(authenticator, token: AccessToken("old"))
        let session = TokenServer("login").session(tokens)
        let first = Task { try await session.response(for: AuthenticationStageTests.request()).status }
        var iterator = started.makeAsyncIterator()
        _ = await iterator.next()
        tokens.replace(AccessToken("login"))
        #expect(try await first.value == .ok)
        tokens.replace(AccessToken("old"))
        let second = Task { try await session.response(for: AuthenticationStageTests.request()).status }
        _ = await iterator.next()
        tokens.replace(nil)
        let error = await #expect(throws: SessionError.self) { try await second.value }
        #expect(error?.code == .authenticationFailed)
        #expect(tokens.token == nil)
    }

    // MARK: The refresh's own requests

    @Test(arguments: [true, false]) func `a refresh goes past the token and the session's limit`(
        _ usesContext: Bool
    ) async throws {
        let box = Recorder<Session>()
        let transport = StubTransport { request in
            if request.target == "/token" {
                #expect(request.headers[.authorization] == nil)
                return .plain("fresh")
            }
            return .plain("", status: request.headers[.authorization] == "Bearer fresh" ? 200 : 401)
        }
        let authenticator = FakeAuthenticator { _, context in
            let request = try AuthenticationStageTests.request("http://h/token")
            let response =
                usesContext
                ? try await context.response(for: request) : try await box.elements[0].response(for: request)
            return AccessToken(String(decoding: response.body, as: UTF8.self))
        }
        var configuration = Session.Configuration()
        configuration.authentication = .tokens(
            TokenSource(authenticator, token: AccessToken("old")),
            for: AuthenticationStageTests.home
        )
        configuration.maximumConcurrentRequests = 1
        let session = Session(configuration: configuration, transport: transport)
        box.record(session)
        #expect(try await Self.send(20, session).allSatisfy { (try? $0.get()) == 200 })
        #expect(authenticator.calls.elements.count == 1)
    }

    @Test func `a token that cannot be sent is an error`() async throws {
        for value in ["", "a b", "a\r\nX: y", "\u{E9}"] {
            let server = TokenServer("x")
            let session = server.session(TokenSource(FakeAuthenticator(), token: AccessToken(value)))
            #expect(try await Self.send(1, session).allSatisfy(Self.isRefused))
            #expect(server.transport.requests.isEmpty)
        }
    }
}
