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

/// Every rule of RFC 9111 that the cache follows, through a whole session: the tables are in Fixtures/caching.
@Suite(.timeLimit(.minutes(2))) struct CacheRulesTests {
    @Test(arguments: try CacheCase.load("freshness"))
    func `a response is fresh for as long as it says, or as can be estimated`(_ one: CacheCase) async throws {
        try await CacheRun(one).run()
    }

    @Test(arguments: try CacheCase.load("storability"))
    func `a response is stored if it may be, without the fields that may not`(_ one: CacheCase) async throws {
        try await CacheRun(one).run()
    }

    @Test(.bug(id: "F241"), .bug(id: "F557"), arguments: try CacheCase.load("reuse"))
    func `directives of both sides decide about reuse`(_ one: CacheCase) async throws { try await CacheRun(one).run() }

    @Test(.bug(id: "F244"), arguments: try CacheCase.load("variants"))
    func `a response answers requests like its own`(_ one: CacheCase) async throws { try await CacheRun(one).run() }

    @Test(arguments: try CacheCase.load("validation"))
    func `a stale response is validated and brought up to date`(_ one: CacheCase) async throws {
        try await CacheRun(one).run()
    }

    @Test(arguments: try CacheCase.load("conditions"))
    func `conditions and ranges of the caller are answered from a stored whole`(_ one: CacheCase) async throws {
        try await CacheRun(one).run()
    }

    @Test(arguments: try CacheCase.load("invalidation"))
    func `a change removes what it makes worthless`(_ one: CacheCase) async throws { try await CacheRun(one).run() }

    @Test(arguments: try CacheCase.load("errors"))
    func `a stale response stands in for an error where it may`(_ one: CacheCase) async throws {
        try await CacheRun(one).run()
    }

    @Test(arguments: try CacheCase.load("policies"))
    func `the policy of a request prefers, demands or avoids stored responses`(_ one: CacheCase) async throws {
        try await CacheRun(one).run()
    }
}

/// Runs a case.
final class CacheRun: Sendable {
    private struct State {
        var now = CacheCase.start
        var step = 0
        var requests: [TransportRequest] = []
    }

    private let one: CacheCase
    private let state = Mutex(State())
    private let clock = ManualSessionClock()
    private let asked: AsyncStream<Void>
    private let onAsked: AsyncStream<Void>.Continuation

    init(_ one: CacheCase) {
        self.one = one
        (self.asked, self.onAsked) = AsyncStream.makeStream()
    }

    func run(store: any CacheStore = MemoryCacheStore(maximumByteCount: 1 << 20)) async throws {
        var configuration = Session.Configuration()
        configuration.clock = self.clock.clock
        configuration.redirects = .none
        var cache = ResponseCache(store: store)
        cache.isShared = self.one.shared ?? false
        cache.wallClock = WallClock { self.state.withLock { $0.now } }
        configuration.cache = cache
        let session = Session(configuration: configuration, transport: StubTransport { try self.answer($0) })
        for (index, step) in self.one.steps.enumerated() {
            self.state.withLock { state in
                state.now = CacheCase.start + step.at
                state.step = index
                state.requests = []
            }
            try await self.perform(step, session, "step \(index + 1) of: \(self.one.name)")
        }
    }

    private func answer(_ request: TransportRequest) throws -> TransportResponse {
        let step = self.state.withLock { state in
            state.requests.append(request)
            return state.step
        }
        defer { self.onAsked.yield() }
        let answer = self.one.steps[step].answer ?? CacheCase.Answer(headers: ["Cache-Control: max-age=3600"])
        if let error = answer.error {
            let code = try #require(Self.errors[error])
            throw TransportError(code, phase: .responseHead, reason: "as the table says")
        }
        let status = answer.status ?? 200
        let body = answer.body ?? (status == 304 || request.method == .head ? "" : "body \(step + 1)")
        return TransportResponse(
            status: .init(code: status),
            headers: try CacheCase.fields(answer.headers),
            body: ResponseBody(source: ScriptedBody(body.isEmpty ? [] : [.text(body)]), expectedLength: nil)
        )
    }

    private static let errors: [String: TransportError.Code] = [
        "connectFailed": .connectFailed, "nameResolutionFailed": .nameResolutionFailed,
        "connectionClosed": .connectionClosed, "timedOut": .timedOut, "protocolViolation": .protocolViolation,
        "tlsFailed": .tlsFailed, "untrustedCertificate": .untrustedCertificate, "invalidRequest": .invalidRequest,
        "shutDown": .shutDown,
    ]

    private func perform(_ step: CacheCase.Step, _ session: Session, _ note: Comment) async throws {
        let url = step.url ?? "/x"
        var request = Request(url: try Peer.url(url.hasPrefix("/") ? "http://h\(url)" : url))
        request.method = try #require(HTTPRequest.Method(step.method ?? "GET"))
        request.headers = try CacheCase.fields(step.request)
        request.options.cachePolicy = step.policy
        do {
            let response = try await session.response(for: request)
            #expect(step.expect != .failed && step.expect != .notCached, note)
            if step.expect == .refreshed {
                for await _ in self.asked where !self.state.withLock({ $0.requests.isEmpty }) { break }
            }
            try self.check(step, response, note)
        } catch let error as SessionError {
            #expect(step.expect == .failed || step.expect == .notCached, "\(note): \(error)")
            #expect((error.code == .notCached) == (step.expect == .notCached), note)
            #expect(self.state.withLock { $0.requests.count } == (step.expect == .failed ? 1 : 0), note)
        }
    }

    private func check(_ step: CacheCase.Step, _ response: Response, _ note: Comment) throws {
        let requests = self.state.withLock { $0.requests }
        let own = try CacheCase.fields(step.request)
        let isConditional = requests.first.map { first in
            [HTTPField.Name.ifNoneMatch, .ifModifiedSince].contains { first.headers[$0] != own[$0] }
        }
        let count = step.expect == .again ? 2 : step.expect == .stored || step.expect == .unavailable ? 0 : 1
        #expect(requests.count == count, note)
        switch step.expect {
        case .network: #expect(isConditional == false, note)
        case .validated, .replaced, .rescued, .again, .refreshed: #expect(isConditional == true, note)
        default: break
        }
        let verdict = try #require(response.cacheStatus)
        #expect(verdict.isHit == (step.expect == .stored || step.expect == .refreshed), note)
        if step.expect == .unavailable { #expect(verdict.description == "Bluebonnet; detail=only-if-cached", note) }
        if let status = step.status { #expect(response.status.code == status, note) }
        if let body = step.body { #expect(String(decoding: response.body, as: UTF8.self) == body, note) }
        if step.body == nil, step.answer?.body == nil, step.expect == .network, response.status != .notModified,
            response.method != .head
        {
            #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("body"), note)
        }
        for field in try CacheCase.fields(step.has) { #expect(response.headers[field.name] == field.value, note) }
        for name in step.lacks ?? [] { #expect(response.headers[try #require(HTTPField.Name(name))] == nil, note) }
        for field in try CacheCase.fields(step.sent) {
            #expect(requests.first?.headers[field.name] == field.value, note)
        }
        for name in step.unsent ?? [] {
            #expect(requests.first?.headers[try #require(HTTPField.Name(name))] == nil, note)
        }
    }
}
