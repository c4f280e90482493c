// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Dispatch
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// What a task tells about itself, and where its completion functions run.
@Suite(.timeLimit(.minutes(1))) struct TaskKnowledgeTests {
    private struct Signing: Interceptor {
        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            var request = request
            request.headers[.authorization] = "Bearer x"
            return try await next(request)
        }
    }

    private let request: Request

    init() throws {
        self.request = Request(url: try Peer.url("http://h/"))
    }

    private func session(_ change: (inout Session.Configuration) -> Void = { _ in }) -> Session {
        var configuration = Session.Configuration()
        configuration.interceptors = [Signing()]
        change(&configuration)
        let transport = StubTransport { _ in
            TransportResponse(
                status: .ok,
                headers: [.server: "stub"],
                body: ResponseBody(source: ScriptedBody([.text("abc")]), expectedLength: 3)
            )
        }
        return Session(configuration: configuration, transport: transport)
    }

    @Test func `the kinds of tasks are told apart`() throws {
        let session = self.session()
        let data = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        let upload = session.uploadTask(with: self.request, serializer: HTTPResponseSerializer())
        let download = session.downloadTask(with: self.request, to: URL(filePath: "/nowhere/file"))
        #expect(session.tasks.map(\.id) == [data.id, upload.id, download.id])
        #expect(session.dataTasks.map(\.id) == [data.id])
        #expect(session.uploadTasks.map(\.id) == [upload.id])
        #expect(session.downloadTasks.map(\.id) == [download.id])
        #expect([data.kind, upload.kind, download.kind] == [.data, .upload, .download])
    }

    @Test func `a task that is dropped before it starts leaves the list`() {
        let session = self.session()
        var task: DataTask<Data>? = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        #expect(session.tasks.count == 1)
        #expect(task?.state == .suspended)
        task = nil
        #expect(session.tasks.isEmpty)
    }

    @Test func `who follows a task that is dropped before it starts learns that it is over`() async throws {
        let session = self.session()
        let outcomes = AsyncStream.makeStream(of: Bool.self)
        var task: DataTask<Data>? = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        let progress = try #require(task?.downloadProgress)
        task?.onCompletion { result in
            if case .failure(let error) = result { outcomes.continuation.yield(error is CancellationError) }
        }
        task = nil
        for await _ in progress {}
        #expect(progress.isFinished)
        for await isCancelled in outcomes.stream {
            #expect(isCancelled)
            break
        }
    }

    @Test func `a task knows its requests, its response and its measurements`() async throws {
        let task = self.session().dataTask(with: self.request, serializer: HTTPResponseSerializer())
        #expect(task.response == nil && task.metrics == nil)
        #expect(task.currentRequest.headers.isEmpty)
        task.taskDescription = "mine"
        task.priority = .high
        task.resume()
        #expect(try await task.value == Data("abc".utf8))
        #expect(task.originalRequest.headers.isEmpty)
        #expect(task.currentRequest.headers[.authorization] == "Bearer x")
        #expect(task.response?.headers[.server] == "stub")
        #expect(task.response?.body == Data("abc".utf8))
        #expect(task.response?.request?.headers[.authorization] == "Bearer x")
        #expect(task.metrics != nil)
        #expect(task.taskDescription == "mine")
    }

    @Test func `completion functions run on the queue of the configuration, and the group is left after them`() async {
        let (queue, group) = (DispatchQueue(label: "completions"), DispatchGroup())
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let session = self.session { $0.completion = .queue(queue, group: group) }
        let calls = Recorder<Bool>()
        let tasks = (0..<5).map { _ in session.dataTask(with: self.request, serializer: HTTPResponseSerializer()) }
        for task in tasks {
            task.onCompletion { _ in calls.record(DispatchQueue.getSpecific(key: key) == true) }
            task.resume()
        }
        await withCheckedContinuation { continuation in
            group.notify(queue: queue) { continuation.resume() }
        }
        #expect(calls.elements == [true, true, true, true, true])
    }

    @Test func `a task without completion functions leaves the group, too`() async throws {
        let group = DispatchGroup()
        let session = self.session { $0.completion = .queue(.global(), group: group) }
        let never = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        let task = session.dataTask(with: self.request, serializer: HTTPResponseSerializer())
        task.resume()
        _ = try await task.value
        never.cancel()
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
    }
}
