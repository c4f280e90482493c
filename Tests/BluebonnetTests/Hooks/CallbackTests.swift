// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Dispatch
import FoundationEssentials
import Testing

@testable import Bluebonnet

/// Verbs for code without `async`.
@Suite(.timeLimit(.minutes(1))) struct CallbackTests {
    private let queue = DispatchQueue(label: "completions")
    private let group = DispatchGroup()
    private let key = DispatchSpecificKey<Bool>()
    private let outcomes = Recorder<String>()

    init() {
        self.queue.setSpecific(key: self.key, value: true)
    }

    private func api(_ answer: @escaping StubTransport.Answer) throws -> HTTPSession {
        var configuration = Session.Configuration()
        configuration.completion = .queue(self.queue, group: self.group)
        return try HTTPSession("http://h/v1", configuration: configuration, transport: StubTransport(answer))
    }

    private func record(_ text: String) {
        self.outcomes.record(DispatchQueue.getSpecific(key: self.key) == true ? text : "\(text), on another queue")
    }

    private func waitForGroup() async {
        await withCheckedContinuation { continuation in
            self.group.notify(queue: self.queue) { continuation.resume() }
        }
    }

    @Test func `1.4 a verb calls one of two functions, on the queue and within the group`() async throws {
        let api = try self.api { request in
            .plain(request.target == "/v1/ok?page=2" ? "[1,2]" : "no", headers: [.contentType: "application/json"])
        }
        try api.prepare(.get, "ok", parameters: ["page": 2]).task(as: [Int].self).resume(
            success: { self.record("\($0)") },
            failure: { self.record("\($0)") }
        )
        await self.waitForGroup()
        try api.prepare(.post, "bad", parameters: ["a": 1]).task(as: [Int].self).resume(
            success: { self.record("\($0)") },
            failure: { self.record("\(($0 as? SessionError)?.code ?? .invalidURL)") }
        )
        await self.waitForGroup()
        #expect(self.outcomes.elements == ["[1, 2]", "serializationFailed"])
    }

    @Test func `1.4 a verb calls one function with the result`() async throws {
        let api = try self.api { request in
            .plain(request.target == "/v1/ok?page=2" ? "[3]" : "no", headers: [.contentType: "application/json"])
        }
        let task = api.start(.get, "ok", parameters: ["page": 2], as: [Int].self) { result in
            self.record("\((try? result.get()) ?? [])")
        }
        #expect(task != nil)
        await self.waitForGroup()
        api.start(.post, "bad", parameters: ["a": 1], as: [Int].self) { result in
            if case .failure(let error as SessionError) = result { self.record("\(error.code)") }
        }
        await self.waitForGroup()
        #expect(self.outcomes.elements == ["[3]", "serializationFailed"])
    }

    @Test(.bug(id: "F652")) func `1.4 a verb with a callback takes a value, a body, options and a limit`() async throws
    {
        struct Note: Encodable { var text = "a" }
        let api = try self.api { request in
            let limit = request.timeouts.total.map { $0 <= .seconds(9) } ?? false
            let body = String(buffer: try request.body.collect())
            return .plain(#"["\#(limit) \#(body)"]"#, headers: [.contentType: "application/json"])
        }
        let record: @Sendable (Result<[String], any Error>) -> Void = { self.record((try? $0.get())?.first ?? "") }
        api.start(.post, "a", parameters: Note(), timeout: .seconds(9), as: [String].self, completion: record)
        await self.waitForGroup()
        var options = RequestOptions()
        options.totalTimeout = .seconds(8)
        api.start(.put, "b", body: .data(Data("c".utf8)), options: options, as: [String].self, completion: record)
        await self.waitForGroup()
        #expect(self.outcomes.elements == ["true text=a", "true c"])
    }

    @Test func `1.4 a request that cannot be built is a failure on the queue, and there is no task`() async throws {
        let api = try self.api { _ in .plain("") }
        let task = api.start(.get, "//other/x", as: [Int].self) { result in
            if case .failure(let error as SessionError) = result { self.record("\(error.code)") }
        }
        #expect(task == nil)
        await self.waitForGroup()
        #expect(self.outcomes.elements == ["invalidURL"])
    }

    @Test func `1.4 a task of any serializer can be given two functions`() async throws {
        let api = try self.api { _ in .plain("text", headers: [.contentType: "text/plain"]) }
        let task = try api.prepare(.get, "x").task(serializer: .string)
        task.resume(success: { self.record($0) }, failure: { self.record("\($0)") })
        await self.waitForGroup()
        let cancelled = try api.prepare(.get, "x").task(serializer: .string)
        cancelled.cancel()
        cancelled.resume(success: { self.record($0) }, failure: { self.record("\(type(of: $0))") })
        while self.outcomes.elements.count < 2 { await Task.yield() }
        #expect(self.outcomes.elements == ["text", "CancellationError"])
    }
}
