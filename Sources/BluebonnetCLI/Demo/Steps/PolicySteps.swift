// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import Synchronization

/// The steps for a session's policies: redirects, retries, tokens, the cache, pins.
struct PolicySteps {
    let server: TestServer
    let secure: TestServer

    var all: [DemoStep] { [self.redirects, self.retry, self.refresh, self.cache, self.pin] }

    private var redirects: DemoStep {
        DemoStep(title: "Follow redirects") {
            let api = self.client(Session.Configuration())
            let response = try await api.get("redirect/5")
            try DemoStep.check(response.status == .ok, "the status is \(response.status.code)")
            try DemoStep.check(response.history.count == 5, "there were \(response.history.count) redirects and not 5")
            return DemoStep.Outcome(detail: "5 redirects, then \(response.url?.path() ?? "nowhere")")
        }
    }

    private var retry: DemoStep {
        DemoStep(title: "Retry when overloaded") {
            var configuration = Session.Configuration()
            configuration.retries = .idempotent(attempts: 3)
            for _ in 0..<2 {
                self.server.enqueue(ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "0"]))
            }
            let response = try await self.client(configuration).get("json")
            try DemoStep.check(response.status == .ok, "the status is \(response.status.code)")
            let count = response.failedAttempts.count
            try DemoStep.check(count == 2, "there were \(count) failed attempts and not 2")
            return DemoStep.Outcome(detail: "503, 503, then 200")
        }
    }

    private var refresh: DemoStep {
        DemoStep(title: "Refresh a token once") {
            let callCount = 20
            let login = Login()
            var configuration = Session.Configuration()
            // A token that the server no longer accepts.
            configuration.authentication = .tokens(TokenSource(login, token: AccessToken("old")))
            let api = self.client(configuration)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<callCount {
                    group.addTask { try await api.get("bearer/new").status.code }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try DemoStep.check(statuses.allSatisfy { $0 == 200 }, "a call was refused")
            let count = login.refreshCount
            try DemoStep.check(count == 1, "the token was refreshed \(count) times and not once")
            return DemoStep.Outcome(detail: "\(callCount) calls, 1 refresh")
        }
    }

    private var cache: DemoStep {
        DemoStep(title: "Answer from the cache") {
            var configuration = Session.Configuration()
            configuration.cache = .memory()
            let api = self.client(configuration)
            self.server.enqueue(
                ScriptedResponse(status: .ok, headers: [.cacheControl: "max-age=60"], body: .text("kept for a minute"))
            )
            let first = try await api.get("cached")
            try DemoStep.check(first.cacheStatus?.isStored == true, "the response was not stored")
            let start = ContinuousClock.now
            let second = try await api.get("cached")
            let time = ContinuousClock.now - start
            try DemoStep.check(second.cacheStatus?.isHit == true, "the response did not come from the cache")
            try DemoStep.check(second.body == first.body, "the stored body is another one")
            let microseconds = time.components.attoseconds / 1_000_000_000_000
            return DemoStep.Outcome(detail: "a hit, \(microseconds) µs")
        }
    }

    private var pin: DemoStep {
        DemoStep(title: "Refuse a foreign key") {
            var configuration = Session.Configuration()
            let digests = [UInt8(1), 2].map { PublicKeyPin.sha256([UInt8](repeating: $0, count: 32)) }
            configuration.pins = PublicKeyPins([PinSet("localhost", digests)])
            var engine = NIOTransport.Configuration.loopback
            engine.tls.additionalRoots = [.pem(self.secure.certificateAuthority.pem)]
            configuration.engine = engine
            let api = try HTTPSession(self.secure.url, configuration: configuration)
            do {
                _ = try await api.get("json")
            } catch let error as SessionError {
                await api.session.shutdown()
                try DemoStep.check(
                    error.certificateFault == .pinMismatch,
                    "it failed for another reason: \(error.reason)"
                )
                try DemoStep.check(!error.isRequestSent, "bytes of the request were sent before the refusal")
                return DemoStep.Outcome(detail: "not pinned, nothing sent")
            }
            await api.session.shutdown()
            throw DemoStep.Mismatch(reason: "a server with a key that is not pinned was accepted")
        }
    }

    private func client(_ configuration: Session.Configuration) -> HTTPSession {
        var configuration = configuration
        configuration.engine = .loopback
        return HTTPSession(baseURL: URL(string: self.server.url), configuration: configuration)
    }
}

/// An authenticator that issues a new token and counts the refreshes.
private final class Login: Authenticator {
    private let count = Mutex(0)

    var refreshCount: Int { self.count.withLock { $0 } }

    func refresh(_ token: AccessToken?, _ context: RefreshContext) async throws -> AccessToken {
        self.count.withLock { $0 += 1 }
        return AccessToken("new", lifetime: .seconds(600))
    }
}
