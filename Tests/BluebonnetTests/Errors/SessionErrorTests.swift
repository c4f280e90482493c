// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SessionErrorTests {
    struct Failure: Error {}

    struct Failing: Interceptor {
        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse { throw Failure() }
    }

    /// One code and what provokes it.
    struct Recipe: Sendable, CustomTestStringConvertible {
        var code: SessionError.Code
        var run: @Sendable () async throws -> Void

        var testDescription: String { self.code.description }

        init(_ code: SessionError.Code, _ run: @escaping @Sendable () async throws -> Void) {
            self.code = code
            self.run = run
        }

        /// Has the transport throw.
        init(_ code: SessionError.Code, transport error: TransportError.Code) {
            self.init(code) {
                let transport = StubTransport { _ in
                    throw TransportError(error, phase: .responseHead, reason: "secret-free")
                }
                _ = try await Session(transport: transport).response(for: request())
            }
        }

        /// Downloads to a place that is prepared.
        init(
            _ code: SessionError.Code,
            length: Int64 = 1,
            prepare: @escaping @Sendable (TemporaryDirectory) throws -> URL
        ) {
            self.init(code) {
                let directory = try TemporaryDirectory()
                let transport = StubTransport { _ in
                    TransportResponse(
                        status: .ok,
                        body: ResponseBody(source: ScriptedBody([.bytes(1)]), expectedLength: length)
                    )
                }
                _ = try await Session(transport: transport).download(request(), to: prepare(directory))
            }
        }
    }

    static func request(_ url: String = "http://user:password@h/path?token=1#f") -> Request {
        Request(url: URL(string: url) ?? URL(filePath: "/"), headers: [.authorization: "Bearer hidden"])
    }

    static let recipes: [Recipe] = [
        Recipe(.invalidURL) { _ = try await Session(transport: StubTransport()).send(request("ftp://h/path?token=1")) },
        Recipe(.invalidRequest) {
            var connect = request()
            connect.method = .connect
            _ = try await Session(transport: StubTransport()).send(connect)
        },
        Recipe(.nameResolutionFailed, transport: .nameResolutionFailed),
        Recipe(.connectFailed, transport: .connectFailed),
        Recipe(.addressNotAllowed, transport: .addressNotAllowed),
        Recipe(.interfaceNotAllowed, transport: .interfaceNotAllowed),
        Recipe(.invalidProxy) {
            var configuration = Session.Configuration()
            configuration.proxy = .environment(["http_proxy": "ftp://user:password@h?token"])
            try await Session.withSession(configuration: configuration) { _ = try await $0.response(for: request()) }
        },
        Recipe(.proxyFailed) {
            var configuration = Session.Configuration()
            configuration.proxy = .environment(["http_proxy": "http://user:password@..invalid"])
            try await Session.withSession(configuration: configuration) { _ = try await $0.response(for: request()) }
        },
        Recipe(.proxyAuthenticationRequired, transport: .proxyAuthenticationRequired),
        Recipe(.tlsFailed, transport: .tlsFailed),
        Recipe(.untrustedCertificate, transport: .untrustedCertificate),
        Recipe(.timedOut, transport: .timedOut),
        Recipe(.connectionClosed, transport: .connectionClosed),
        Recipe(.protocolViolation, transport: .protocolViolation),
        Recipe(.http11Required, transport: .http11Required),
        Recipe(.limitExceeded, transport: .limitExceeded),
        Recipe(.decompressionFailed, transport: .decompressionFailed),
        Recipe(.bodyFailed, transport: .bodyFailed),
        Recipe(.invalidRequest, transport: .invalidRequest),
        Recipe(.shutDown, transport: .shutDown),
        Recipe(.responseTooLarge) {
            var configuration = Session.Configuration()
            configuration.limits.responseByteCount = 3
            _ = try await Session(configuration: configuration, transport: StubTransport { _ in .plain("four") })
                .response(for: request())
        },
        Recipe(.transportFailed) {
            _ = try await Session(transport: StubTransport { _ in throw Failure() }).response(for: request())
        },
        Recipe(.interceptorFailed) {
            var configuration = Session.Configuration()
            configuration.interceptors = [Failing()]
            _ = try await Session(configuration: configuration, transport: StubTransport()).response(for: request())
        },
        Recipe(.unacceptableStatus) {
            let api = HTTPSession(transport: StubTransport { _ in .plain("token body", status: 500) })
            try await api.post("http://h/path?token=1")
        },
        Recipe(.unacceptableContentType) {
            let api = HTTPSession(
                transport: StubTransport { _ in .plain("token body", headers: [.contentType: "text/plain"]) }
            )
            _ = try await api.get("http://h/path?token=1", as: [Int].self)
        },
        Recipe(.invalidConfiguration) {
            var configuration = Session.Configuration()
            configuration.pool.maximumConnections = 1
            _ = try await Session(configuration: configuration, transport: StubTransport()).response(for: request())
        },
        Recipe(.unsupportedOption) {
            var offline = request()
            offline.options.cachePolicy = .returnCacheDataDontLoad
            _ = try await Session(transport: StubTransport()).response(for: offline)
        },
        Recipe(.serializationFailed) {
            let api = HTTPSession(
                transport: StubTransport { _ in .plain("{token", headers: [.contentType: "application/json"]) }
            )
            _ = try await api.get("http://h/path?token=1", as: [Int].self)
        },
        Recipe(.authenticationFailed) {
            var post = Request(
                url: URL(string: "http://user:password@h/path?token=1") ?? URL(filePath: "/"),
                body: .stream(length: 0, isReplayable: false) { throw Failure() }
            )
            post.method = .post
            let challenge: HTTPFields = [.wwwAuthenticate: "Digest realm=\"token\", nonce=\"n\", qop=auth"]
            let transport = StubTransport { _ in .plain("", status: 401, headers: challenge) }
            _ = try await Session(transport: transport).response(for: post)
        },
        Recipe(.authenticationCancelled) {
            var cancelled = Request(url: URL(string: "http://h/path?token=1") ?? URL(filePath: "/"))
            cancelled.onAuthenticationChallenge = { _ in .cancel }
            let challenge: HTTPFields = [.wwwAuthenticate: "Basic realm=\"token\""]
            let transport = StubTransport { _ in .plain("", status: 401, headers: challenge) }
            _ = try await Session(transport: transport).response(for: cancelled)
        },
        Recipe(.incompleteDownload, length: 2) { $0.file("a") },
        Recipe(.destinationExists) { directory in
            try Data().write(to: directory.file("a"))
            return directory.file("a")
        },
        Recipe(.destinationUnavailable) { $0.file("missing/a") },
        Recipe(.destinationInUse) { throw SessionError(SystemError(.lock, 11)) },
        Recipe(.digestMismatch) {
            let directory = try TemporaryDirectory()
            var policy = DownloadPolicy()
            policy.digest = try ContentDigest(.sha256, bytes: [UInt8](repeating: 0, count: 32))
            _ = try await Session(transport: StubTransport { _ in .plain("token") })
                .download(request(), to: directory.file("a"), policy: policy)
        },
        Recipe(.shutDown) {
            let session = Session(transport: StubTransport())
            await session.shutdown()
            _ = try await session.send(request())
        },
        // The disk cannot be filled or broken here; these two come from the failed system call itself.
        Recipe(.storageFull) { throw SessionError(SystemError(.write, 28)) },
        Recipe(.storageFailed) { throw SessionError(SystemError(.write, 5)) },
    ]

    private static let all = recipes + policyRecipes + uploadRecipes + queueRecipes

    @Test(arguments: all)
    func `is thrown for every code, and prints no secret`(_ recipe: Recipe) async {
        let error = await #expect(throws: SessionError.self) { try await recipe.run() }
        #expect(error?.code == recipe.code)
        #expect(ErrorSentence.fault(in: error?.reason) == nil)
        var dumped = ""
        if let error { dump(error, to: &dumped) }
        for text in [error?.description, error.map { String(reflecting: $0) }, dumped] {
            for secret in ["token", "password", "user:", "hidden", "Bearer"] {
                #expect(text?.contains(secret) == false, "\(text ?? "")")
            }
        }
    }

    @Test func `has a recipe for every code`() {
        let without = Set(SessionError.Code.all).subtracting(Self.all.map(\.code))
        #expect(without.isEmpty)
    }

    @Test func `throws the same from a body that is read later`() async throws {
        let broken = TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true)
        for (thrown, code) in [
            (broken as any Error, SessionError.Code.connectionClosed), (Failure(), .transportFailed),
        ] {
            let transport = StubTransport { _ in
                TransportResponse(
                    status: .ok,
                    body: ResponseBody(source: ScriptedBody([.bytes(1), .fail(thrown)]), expectedLength: nil)
                )
            }
            let response = try await Session(transport: transport).send(Self.request())
            let error = await #expect(throws: SessionError.self) {
                for try await _ in response.body {}
            }
            #expect(error?.code == code)
            #expect(error?.request?.url == Self.request().url)
        }
    }

    @Test func `names the request without its secrets`() {
        let error = SessionError(.timedOut, reason: "too slow", request: Self.request(), phase: .responseHead)
        #expect(error.description == "timedOut (responseHead), GET http://h/path: too slow")
    }

    @Test func `reports a cancelled exchange as a cancellation`() async {
        let transport = StubTransport { _ in
            try? await untilCancelled()
            throw TransportError(.connectionClosed, phase: .responseHead, reason: "closed")
        }
        let task = Task { try await Session(transport: transport).response(for: Self.request()) }
        while transport.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
