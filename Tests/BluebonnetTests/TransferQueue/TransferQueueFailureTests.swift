// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Bluebonnet

/// Attempts that fail, and secrets.
@Suite(.timeLimit(.minutes(1))) struct TransferQueueFailureTests {
    static let origin = RangeOrigin(byteCount: 200_000, fields: [.acceptRanges: "bytes"])

    /// Waits of a minute, exactly.
    private static var patient: TransferQueue.Options {
        var options = TransferQueue.Options()
        options.retries.backoff = .init(initial: .seconds(60), maximum: .seconds(60))
        options.retries.surroundings.random = { 1 }
        options.retries.maximumAttempts = 3
        return options
    }

    @Test func `a wait goes on after a restart, and the attempts are counted over both`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([
                { _ in ScriptedResponse(status: .serviceUnavailable) },
                { _ in ScriptedResponse(status: .serviceUnavailable) },
                { _ in ScriptedResponse(status: .serviceUnavailable) }, { Self.origin.response(to: $0) },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let clock = ManualSessionClock()
            let start = Date(timeIntervalSince1970: 1_800_000_000)
            var options = Self.patient
            options.now = { start }
            let queue = try await scene.open(options, clock: clock.clock)
            let id = try await queue.add(scene.download())
            let first = try await queue.wait(for: id) { $0.failedAttemptCount == 1 }
            #expect(first.state == .waiting)
            #expect(first.nextStart == start.addingTimeInterval(60))
            #expect(first.failure?.code == .unacceptableStatus)
            #expect(first.failure?.status == 503)
            await queue.shutdown()

            options.now = { start.addingTimeInterval(20) }
            let next = try await scene.open(options, clock: clock.clock)
            #expect(next[id]?.failedAttemptCount == 1)
            clock.advance(by: .seconds(39))
            try await next.rescan()
            #expect(served.requests.count == 1)
            clock.advance(by: .seconds(1))
            try await next.wait(for: id) { $0.failedAttemptCount == 2 }
            #expect(served.requests.count == 2)
            // A program may be less patient.
            try await next.resume(id)
            try await next.wait(for: id) { $0.failedAttemptCount == 1 }
            #expect(served.requests.count == 3)
            try await next.resume(id)
            try await next.waitUntilIdle()
            #expect(next[id]?.state == .finished)
            #expect(next[id]?.failure == nil)
            await next.shutdown()
        }
    }

    @Test func `after the last attempt a transfer has failed, and says so after a restart`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([{ _ in ScriptedResponse(status: .badGateway) }])
            scene.server.respond(to: "/file") { served.serve($0) }
            var options = TransferQueue.Options.quick
            options.retries.maximumAttempts = 3
            let queue = try await scene.open(options)
            let id = try await queue.add(scene.download())
            try await queue.waitUntilIdle()
            #expect(served.requests.count == 3)
            await queue.shutdown()
            let next = try await scene.open(options)
            try await next.waitUntilIdle()
            let transfer = try #require(next[id])
            #expect(transfer.state == .failed)
            #expect(transfer.failure?.code == .unacceptableStatus)
            #expect(transfer.failure?.status == 502)
            #expect(transfer.failure?.reason.isEmpty == false)
            #expect(served.requests.count == 3)
            await next.shutdown()
            #expect(try scene.directory.names == ["queue"])
        }
    }

    @Test func `a response that is refused says nothing about the bytes of the file`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([
                { Self.origin.response(to: $0, .close(.afterBody(60_000))) },
                { _ in ScriptedResponse(status: .serviceUnavailable, body: "try again later on.") },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let clock = ManualSessionClock()
            let queue = try await scene.open(Self.patient, clock: clock.clock)
            let id = try await queue.add(scene.download())
            let broken = try await queue.wait(for: id) { $0.failure != nil }
            #expect(broken.progress.total == 200_000)
            #expect(broken.progress.completed > 0)
            try await queue.resume(id)
            let refused = try await queue.wait(for: id) { $0.failure?.status == 503 }
            #expect(refused.progress == broken.progress)
            await queue.shutdown()
            let next = try await scene.open(Self.patient, clock: clock.clock)
            #expect(next[id]?.progress == broken.progress)
            await next.shutdown()
        }
    }

    @Test func `attempts that bring bytes are not counted together`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { request in
                Self.origin.response(to: request, .close(.afterBody(30_000)))
            }
            var options = TransferQueue.Options.quick
            options.retries.maximumAttempts = 2
            let queue = try await scene.open(options)
            let id = try await queue.add(scene.download())
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .finished)
            #expect(try scene.directory.contents("a") == Self.origin.bytes)
            await queue.shutdown()
        }
    }

    /// A status, and whether another attempt follows it.
    @Test(arguments: [(404, 1), (401, 1), (403, 1), (410, 1), (500, 2), (408, 2), (429, 2)])
    func `a status that will not go away ends a transfer at once`(_ status: Int, _ attempts: Int) async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([{ _ in ScriptedResponse(status: .init(code: status)) }])
            scene.server.respond(to: "/file") { served.serve($0) }
            var options = TransferQueue.Options.quick
            options.retries.maximumAttempts = 2
            let queue = try await scene.open(options)
            let id = try await queue.add(scene.download())
            try await queue.waitUntilIdle()
            #expect(queue[id]?.state == .failed)
            #expect(served.requests.count == attempts)
            await queue.shutdown()
        }
    }

    @Test func `a priority that is set while an attempt ends is kept`() async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { _ in ScriptedResponse(status: .serviceUnavailable) }
            let (asked, go) = (Latch(), Latch())
            var options = Self.patient
            options.retries = RetryPolicy(attempts: 3) { _ in
                asked.open()
                await go.wait()
                return .stop
            }
            let queue = try await scene.open(options)
            let id = try await queue.add(scene.download())
            await asked.wait()
            try await queue.setPriority(.high, of: id)
            go.open()
            try await queue.waitUntilIdle()
            #expect(queue[id]?.priority == .high)
            await queue.shutdown()
            #expect(try TransferDirectory(scene.folder).contents().transfers.map(\.priority) == [.high])
        }
    }

    @Test func `a clock that wakes too early is asked again`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([
                { _ in ScriptedResponse(status: .serviceUnavailable) }, { Self.origin.response(to: $0) },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let manual = ManualSessionClock()
            let isEarly = Atomic(true)
            let clock = SessionClock(
                now: { manual.clock.now },
                sleep: { deadline in
                    if isEarly.exchange(false, ordering: .relaxed) { return }
                    try await manual.clock.sleep(until: deadline)
                }
            )
            let queue = try await scene.open(Self.patient, clock: clock)
            let id = try await queue.add(scene.download())
            try await queue.wait(for: id) { $0.failedAttemptCount == 1 }
            await manual.waitForSleeps(1)
            manual.advance(by: .seconds(60))
            try await queue.wait(for: id) { $0.state == .finished }
            await queue.shutdown()
        }
    }

    // MARK: Secrets

    @Test func `secrets are asked for again at each attempt, and no byte of them reaches the disk`() async throws {
        try await TransferQueueScene.run { scene in
            let secrets = ["hunter2", "c00kie", "s1gned", "Bearer", "authorization"]
            let gate = Gate()
            let served = ServedSteps([
                { Self.origin.response(to: $0, .close(.afterBody(50_000))) },
                { Self.origin.response(to: $0, .hold(.afterBody(50_000), until: gate)) },
            ])
            scene.server.respond(to: "/file") { served.serve($0) }
            let asked = Atomic(0)
            let prepare: TransferQueue.Preparation = { request, transfer in
                asked.wrappingAdd(1, ordering: .relaxed)
                #expect(request.headers.isEmpty)
                request.headers[.authorization] = "Bearer hunter2"
                request.headers[.cookie] = "id=c00kie"
                request.url = try Peer.url(transfer.url.absoluteString + "?signature=s1gned")
            }
            let queue = try await scene.open(prepare: prepare)
            let id = try await queue.add(scene.download())
            try await queue.wait(for: id) { $0.progress.completed == 100_000 }
            #expect(asked.load(ordering: .relaxed) == 2)
            // What is looked for would be found.
            #expect(try scene.holds("\(id)"))
            #expect(try scene.holds("/file"))
            for secret in secrets { #expect(try !scene.holds(secret), "\(secret)") }
            await queue.shutdown()
            gate.open()
            for secret in secrets { #expect(try !scene.holds(secret), "\(secret)") }
            for request in served.requests {
                #expect(request.headers[.authorization] == "Bearer hunter2")
                #expect(request.target == "/file?signature=s1gned")
            }
            let next = try await scene.open()
            let refused = await #expect(throws: SessionError.self) {
                try await next.add(.download(Peer.url("https://ada:hunter2@h/"), to: scene.file))
            }
            #expect(refused?.code == .invalidRequest)
            try await next.cancel(id)
            await next.shutdown()
            #expect(try !scene.holds("hunter2"))
        }
    }

    struct Refusal: Error {}

    @Test func `a function that prepares requests can end a transfer, for good or for now`() async throws {
        try await TransferQueueScene.run { scene in
            let served = ServedSteps([{ Self.origin.response(to: $0) }])
            scene.server.respond(to: "/file") { served.serve($0) }
            let count = Atomic(0)
            let queue = try await scene.open { _, transfer in
                if transfer.label == "bad" { throw Refusal() }
                if transfer.label == "cancelled" { throw CancellationError() }
                if count.wrappingAdd(1, ordering: .relaxed).newValue == 1 {
                    throw SessionError(.connectFailed, reason: "no token server")
                }
            }
            let good = try await queue.add(scene.download())
            let bad = try await queue.add(.download(scene.url(), to: scene.directory.file("b"), label: "bad"))
            let ended = try await queue.add(.download(scene.url(), to: scene.directory.file("c"), label: "cancelled"))
            try await queue.waitUntilIdle()
            #expect(queue[good]?.state == .finished)
            #expect(queue[bad]?.state == .failed)
            #expect(queue[bad]?.failure?.code == .interceptorFailed)
            #expect(queue[ended]?.state == .failed)
            #expect(served.requests.count == 1)
            await queue.shutdown()
            #expect(try scene.directory.names == ["a", "queue"])
        }
    }
}
