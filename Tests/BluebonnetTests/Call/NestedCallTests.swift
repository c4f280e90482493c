// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// Calls that code of the program makes while another call of the session, which has the only place, waits for that code.
@Suite(.timeLimit(.minutes(1))) struct NestedCallTests {
    /// Which code makes the call.
    enum Place: String, CaseIterable, Sendable {
        case interceptor, networkInterceptor, interceptorBody, redirectPolicy
        case challengeHandler, requestChallengeHandler, credentialStore, willCache, cacheStore
        case retryPolicy, requestRetryPolicy, downloadRetryPolicy, disposition, tokenFunction
    }

    @Test(.bug(id: "F324"), arguments: Place.allCases)
    func `a function of the program may make a call beyond the session's limit`(_ place: Place) async throws {
        let sessions = Recorder<Session>()
        let statuses = Recorder<HTTPResponse.Status>()
        let inner = Request(url: try Peer.url("http://h/inner"))
        // The inner call passes the same code, which then makes no further one.
        let makeCall: @Sendable (Request) async throws -> Void = { request in
            guard request.url.path() != "/inner", let session = sessions.elements.first else { return }
            statuses.record(try await session.response(for: inner).status)
        }
        var configuration = Session.Configuration()
        configuration.maximumConcurrentRequests = 1
        // A call that has to wait for a place fails at once.
        configuration.timeouts.queue = .zero
        var request = Request(url: try Peer.url("http://h/"))
        Self.install(makeCall, at: place, in: &configuration, &request)
        let session = Session(configuration: configuration, transport: Self.transport(for: place))
        sessions.record(session)
        #expect(try await Self.send(request, over: session, place, makeCall) == "end")
        #expect(statuses.elements == [.ok])
        #expect(session.admission.counts == (0, 0))
    }

    @Test(.bug(id: "F283")) func `a task that outlives its call gets no place beyond the limit`() async throws {
        let (isOver, isHeld, isReleased) = (Latch(), Latch(), Latch())
        let (sessions, tasks) = (Recorder<Session>(), Recorder<Task<Response, any Error>>())
        let late = Request(url: try Peer.url("http://h/late"))
        var configuration = Session.Configuration()
        configuration.maximumConcurrentRequests = 1
        configuration.timeouts.queue = .zero
        let interceptor = Before { request in
            guard request.url.path() == "/first", let session = sessions.elements.first else { return }
            tasks.record(
                Task {
                    await isOver.wait()
                    return try await session.response(for: late)
                }
            )
        }
        configuration.interceptors = [interceptor]
        let transport = StubTransport { request in
            guard request.target == "/held" else { return .plain("end") }
            isHeld.open()
            await isReleased.wait()
            return .plain("end")
        }
        let session = Session(configuration: configuration, transport: transport)
        sessions.record(session)
        _ = try await session.response(for: Request(url: try Peer.url("http://h/first")))
        let held = Request(url: try Peer.url("http://h/held"))
        let call = Task { try await session.response(for: held) }
        await isHeld.wait()
        isOver.open()
        let task = try #require(tasks.elements.first)
        let error = await #expect(throws: SessionError.self) { try await task.value }
        #expect(error?.code == .timedOut && error?.phase == .queue)
        isReleased.open()
        #expect(try await call.value.status == .ok)
    }

    /// The calls that wait for the refresh hold the places that its own calls would wait for.
    @Test(.bug(id: "F283")) func `a refresh keeps its calls beyond the limit when the call that began it has ended`()
        async throws
    {
        let (isBegun, isLeft) = (Latch(), Latch())
        let sessions = Recorder<Session>()
        let inner = Request(url: try Peer.url("http://h/token"))
        let tokens = TokenSource(
            FakeAuthenticator { _, _ in
                isBegun.open()
                await isLeft.wait()
                let session = try #require(sessions.elements.first)
                return AccessToken(String(decoding: try await session.response(for: inner).body, as: UTF8.self))
            }
        )
        var configuration = Session.Configuration()
        configuration.maximumConcurrentRequests = 1
        configuration.timeouts.queue = .zero
        configuration.authentication = .tokens(tokens, for: AuthenticationStageTests.home)
        let transport = StubTransport { _ in .plain("token") }
        let session = Session(configuration: configuration, transport: transport)
        sessions.record(session)
        let request = Request(url: try Peer.url("http://h/"))
        let first = Task { try await session.response(for: request) }
        await isBegun.wait()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await session.response(for: request) }
        while tokens.waiterCount == 0 { await Task.yield() }
        isLeft.open()
        #expect(try await second.value.status == .ok)
        #expect(transport.requests.last?.headers[.authorization] == "Bearer token")
    }

    static func install(
        _ makeCall: @escaping @Sendable (Request) async throws -> Void,
        at place: Place,
        in configuration: inout Session.Configuration,
        _ request: inout Request
    ) {
        let original = request
        let retries = RetryPolicy(attempts: 2) { context in
            try await makeCall(context.request)
            return .retry(after: .zero)
        }
        let handler: AuthenticationChallenge.Handler = { _ in
            try await makeCall(original)
            return .use(.password("ada", "s3cret"))
        }
        switch place {
        case .interceptor: configuration.interceptors = [Before(makeCall: makeCall)]
        case .networkInterceptor: configuration.networkInterceptors = [Before(makeCall: makeCall)]
        case .interceptorBody: configuration.interceptors = [Within(makeCall: makeCall)]
        case .redirectPolicy:
            configuration.redirects = RedirectPolicy { redirect in
                try await makeCall(redirect.request)
                return redirect.proposedRequest
            }
        case .challengeHandler: configuration.authentication.onChallenge = handler
        case .requestChallengeHandler: request.onAuthenticationChallenge = handler
        case .credentialStore:
            configuration.authentication = .stored(in: Store { try await makeCall(original) })
        case .willCache:
            configuration.cache = .memory()
            configuration.cache?.willCache = { proposal in
                try? await makeCall(proposal.request)
                return proposal
            }
        case .cacheStore: configuration.cache = ResponseCache(store: CallingCacheStore(makeCall: makeCall))
        case .retryPolicy, .downloadRetryPolicy: configuration.retries = retries
        case .requestRetryPolicy: request.retries = retries
        case .tokenFunction:
            configuration.authentication = .bearer(for: AuthenticationStageTests.home) {
                try await makeCall(original)
                return AccessToken("s3cret")
            }
        case .disposition: break
        }
    }

    /// Answers the outer call first with what brings it to the place, and then with its end.
    static func transport(for place: Place) -> StubTransport {
        let outer = Recorder<String>()
        return StubTransport { request in
            guard request.target != "/inner" else { return .plain("inner") }
            outer.record(request.target)
            guard outer.elements.count == 1 else { return .plain("end") }
            return switch place {
            case .redirectPolicy: .plain("", status: 302, headers: [.location: "/x"])
            case .challengeHandler, .requestChallengeHandler, .credentialStore:
                .plain("", status: 401, headers: [.wwwAuthenticate: #"Basic realm="r""#])
            case .retryPolicy, .requestRetryPolicy, .downloadRetryPolicy: .plain("", status: 503)
            case .willCache: .plain("end", headers: [.cacheControl: "max-age=60"])
            default: .plain("end")
            }
        }
    }

    /// Sends the outer request.
    ///
    /// - Returns: What came.
    static func send(
        _ request: Request,
        over session: Session,
        _ place: Place,
        _ makeCall: @escaping @Sendable (Request) async throws -> Void
    ) async throws -> String {
        switch place {
        case .disposition:
            let task = session.dataTask(with: request, serializer: .string) { _ in
                try await makeCall(request)
                return .allow
            }
            task.resume()
            guard case .value(let text) = try await task.value else { return "no value" }
            return text
        case .downloadRetryPolicy:
            let directory = try TemporaryDirectory()
            _ = try await session.download(request, to: directory.file("file"))
            return String(decoding: try directory.contents("file"), as: UTF8.self)
        default:
            return String(decoding: try await session.response(for: request).body, as: UTF8.self)
        }
    }
}

/// Makes a call before it sends a request.
private struct Before: Interceptor {
    let makeCall: @Sendable (Request) async throws -> Void

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        try await self.makeCall(request)
        return try await next(request)
    }
}

/// Gives a body that makes a call when it is read.
private struct Within: Interceptor {
    let makeCall: @Sendable (Request) async throws -> Void

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        var response = try await next(request)
        let body = Body(source: response.body) { try await self.makeCall(request) }
        response.body = ResponseBody(source: body, expectedLength: nil)
        return response
    }

    final class Body: ResponseBody.Source {
        private let source: ResponseBody
        private let makeCall: @Sendable () async throws -> Void
        private let readers = Recorder<Void>()

        init(source: ResponseBody, makeCall: @escaping @Sendable () async throws -> Void) {
            self.source = source
            self.makeCall = makeCall
        }

        func next() async throws -> ByteBuffer? {
            self.readers.record(())
            guard self.readers.elements.count == 1 else { return nil }
            try await self.makeCall()
            return try await self.source.collect(upTo: 100)
        }
    }
}

private struct Store: CredentialStore {
    let makeCall: @Sendable () async throws -> Void

    func credential(for space: ProtectionSpace) async throws -> Credential? {
        try await self.makeCall()
        return .password("ada", "s3cret")
    }
}

/// Makes a call when it is asked for a response, and keeps none.
private struct CallingCacheStore: CacheStore {
    let makeCall: @Sendable (Request) async throws -> Void

    var maximumByteCount: Int { 1 << 20 }

    func responses(for key: CacheKey) async throws -> [StoredResponse] {
        try await self.makeCall(Request(parsing: key.text))
        return []
    }

    func body(of response: StoredResponse, range: Range<Int64>?) async throws -> ResponseBody? { nil }
    func makeWriter(for response: StoredResponse) async throws -> any CacheWriter { throw CancellationError() }
    func update(_ response: StoredResponse) async throws {}
    func remove(_ response: StoredResponse) async throws {}
    func removeAll(for key: CacheKey) async throws {}
    func removeAll() async throws {}
}
