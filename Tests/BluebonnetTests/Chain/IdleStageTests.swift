// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct IdleStageTests {
    /// What a stage does about a response, or about an error, whose status is zero.
    private enum Action {
        case answer(Int)
        case sendAgain
        case fail
    }

    private struct Failure: Error {}

    /// A stage whose behaviour is a table.
    private final class Step: IdleStage {
        let name: Int
        let idlesOn: Set<Int>
        let actions: [Int: Action]
        let log: Recorder<String>

        init(_ name: Int, idlesOn: Set<Int>, actions: [Int: Action], log: Recorder<String>) {
            (self.name, self.idlesOn, self.actions, self.log) = (name, idlesOn, actions, log)
        }

        /// The number of stages that have changed the request stands for the request.
        static func depth(of request: Request) -> Int { request.headers.count }

        func isIdle(for request: Request, of call: Call) -> Bool { self.idlesOn.contains(Self.depth(of: request)) }

        func concerns(_ response: borrowing StreamedResponse, to request: Request) -> Bool {
            self.actions[response.status.code] != nil
        }

        func act(on response: StreamedResponse, to request: Request, next: Chain) async throws -> StreamedResponse {
            try await self.act(on: response.status.code, request, next)
        }

        func concerns(_ error: any Error, of request: Request, in call: Call) -> Bool { self.actions[0] != nil }

        func act(on error: any Error, of request: Request, next: Chain) async throws -> StreamedResponse {
            try await self.act(on: 0, request, next)
        }

        private func act(on status: Int, _ request: Request, _ next: Chain) async throws -> StreamedResponse {
            self.log.record("\(self.name) acts on \(status) to \(Self.depth(of: request))")
            switch self.actions[status] {
            case .answer(let status): return StreamedResponse(to: request, status: .init(code: status))
            case .sendAgain: return try await next(request)
            case .fail, nil: throw Failure()
            }
        }

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            if self.isIdle(for: request, of: next.call) { return try await self.passIdle(request, next: next) }
            self.log.record("\(self.name) sends \(Self.depth(of: request))")
            var changed = request
            if let name = HTTPField.Name("X-\(self.name)-\(Self.depth(of: request))") { changed.headers[name] = "1" }
            let response = try await next(changed)
            self.log.record("\(self.name) returns \(response.status.code)")
            return response
        }
    }

    /// Hides that an interceptor is a stage that may be idle.
    private struct Plain: Interceptor {
        let stage: any Interceptor

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            try await self.stage.intercept(request, next: next)
        }
    }

    /// Answers one status after the other.
    private struct Server: Interceptor {
        let statuses: [Int]
        let log: Recorder<String>

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            let count = self.log.elements.count { $0.hasPrefix("sent") }
            self.log.record("sent \(Step.depth(of: request))")
            let status = self.statuses[count % self.statuses.count]
            guard status > 0 else { throw Failure() }
            return StreamedResponse(to: request, status: .init(code: status))
        }
    }

    private func run(seed: UInt64, hidden: Bool) async throws -> [String] {
        var random = SeededGenerator(seed: seed)
        let log = Recorder<String>()
        var stages: [any Interceptor] = []
        for name in 0..<Int.random(in: 0..<6, using: &random) {
            let actions: [(Int, Action)] = [
                (401, Bool.random(using: &random) ? .sendAgain : .answer(200)),
                (302, .answer(Bool.random(using: &random) ? 401 : 404)),
                (404, .fail),
                (0, [.sendAgain, .answer(302), .fail].randomElement(using: &random) ?? .fail),
            ]
            let step = Step(
                name,
                idlesOn: Set((0..<4).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }),
                actions: Dictionary(uniqueKeysWithValues: actions.filter { _ in Bool.random(using: &random) }),
                log: log
            )
            stages.append(step)
        }
        let statuses = (0..<8).map { _ in [0, 200, 302, 401].randomElement(using: &random) ?? 200 } + [200]
        stages.append(Server(statuses: statuses, log: log))
        if hidden { stages = stages.map { Plain(stage: $0) } }
        let request = Request(url: try Peer.url("http://h/"))
        let outcome = await Chain(Call(request), stages: StageList(stages)).outcome(of: request)
        return log.elements + [(try? outcome.get()).map { "\($0.status.code)" } ?? "failed"]
    }

    @Test(arguments: 0..<400) func `passing over an idle stage changes nothing`(seed: UInt64) async throws {
        #expect(try await self.run(seed: seed, hidden: false) == (try await self.run(seed: seed, hidden: true)))
    }

    @Test func `a chain without a busy stage has no end`() async throws {
        let idle = Step(1, idlesOn: [0], actions: [:], log: Recorder())
        let request = Request(url: try Peer.url("http://h/"))
        let chain = Chain(Call(request), stages: StageList([idle]))
        let error = await #expect(throws: SessionError.self) { try await chain(request) }
        #expect(error?.code == .interceptorFailed)
    }
}
