// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Suspends a task as soon as its first exchange has a response, and records its exchanges.
struct SuspendingInterceptor: Interceptor {
    let exchanges = Recorder<String>()
    private let tasks = Recorder<DataTask<Data>>()

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        self.exchanges.record(request.url.path)
        let response = try await next(request)
        if self.exchanges.elements.count == 1 { self.tasks.elements.first?.suspend() }
        return response
    }

    /// Runs a task, checks that nothing follows its first exchange while it is suspended, and resumes it.
    func run(_ task: DataTask<Data>, whileSuspended check: () -> Void = {}) async throws -> Data {
        self.tasks.record(task)
        task.resume()
        while task.state == .running { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(task.state == .suspended)
        #expect(self.exchanges.elements.count == 1)
        check()
        task.resume()
        return try await task.value
    }
}

/// A suspended task begins no exchange.
@Suite(.timeLimit(.minutes(1))) struct SuspendedExchangeTests {
    private let suspending = SuspendingInterceptor()

    private func session(_ transport: StubTransport, _ policy: AuthenticationPolicy = .anonymous) -> Session {
        var configuration = Session.Configuration()
        configuration.authentication = policy
        configuration.networkInterceptors = [self.suspending]
        return Session(configuration: configuration, transport: transport)
    }

    @Test(.bug(id: "F501"), arguments: [302, 307])
    func `a suspended task follows no redirect until it is resumed`(_ status: Int) async throws {
        let session = self.session(
            StubTransport { request in
                guard request.target != "/end" else { return .plain("end") }
                return TransportResponse(status: .init(code: status), headers: [.location: "/end"])
            }
        )
        let request = Request(method: .post, url: try Peer.url("http://h/start"), body: .data(Data("body".utf8)))
        let task = session.dataTask(with: request, serializer: .data)
        #expect(try await self.suspending.run(task) == Data("end".utf8))
        #expect(self.suspending.exchanges.elements == ["/start", "/end"])
    }

    @Test(.bug(id: "F501"), arguments: ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""])
    func `a suspended task answers no challenge until it is resumed`(_ challenge: String) async throws {
        let session = self.session(
            AuthenticationStageTests.guarded(challenge) { !$0.isEmpty },
            .password("ada", "s3cret", for: AuthenticationStageTests.home)
        )
        let task = session.dataTask(with: try AuthenticationStageTests.request(), serializer: .data)
        #expect(try await self.suspending.run(task) == Data("in".utf8))
        #expect(self.suspending.exchanges.elements.count == 2)
    }

    @Test(.bug(id: "F501")) func `a suspended task renews no token until it is resumed`() async throws {
        let authenticator = FakeAuthenticator()
        let session = self.session(
            AuthenticationStageTests.guarded("Bearer") { $0 == "Bearer fresh1" },
            .tokens(TokenSource(authenticator, token: AccessToken("old")), for: AuthenticationStageTests.home)
        )
        let task = session.dataTask(with: try AuthenticationStageTests.request(), serializer: .data)
        let data = try await self.suspending.run(task) { #expect(authenticator.calls.elements.isEmpty) }
        #expect(data == Data("in".utf8))
        #expect(authenticator.calls.elements == ["old"])
    }

    @Test(.bug(id: "F501"))
    func `a task that is suspended while it waits for its first token sends nothing until it is resumed`() async throws
    {
        let tasks = Recorder<DataTask<Data>>()
        let authenticator = FakeAuthenticator { _, _ in
            tasks.elements.first?.suspend()
            return AccessToken("first")
        }
        let transport = AuthenticationStageTests.guarded("Bearer") { $0 == "Bearer first" }
        let policy = AuthenticationPolicy.tokens(TokenSource(authenticator), for: AuthenticationStageTests.home)
        let session = AuthenticationStageTests.session(transport, policy)
        let task = session.dataTask(with: try AuthenticationStageTests.request(), serializer: .data)
        tasks.record(task)
        task.resume()
        while task.state == .running { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(transport.requests.isEmpty)
        task.resume()
        #expect(try await task.value == Data("in".utf8))
    }
}
