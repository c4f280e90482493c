// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Bluebonnet

/// What the program asks of a queue in the middle of an attempt, from the functions that the attempt calls.
@Suite(.timeLimit(.minutes(2))) struct TransferQueueReentryTests {
    enum Place: CaseIterable {
        case preparation, retryRule, interceptor
    }

    enum Order: CaseIterable {
        case cancel, remove, shutdown

        func give(to queue: TransferQueue, about id: Transfer.ID) async {
            switch self {
            case .cancel: try? await queue.cancel(id)
            case .remove: try? await queue.remove(id)
            case .shutdown: await queue.shutdown()
            }
        }
    }

    /// A function of the program, which gives an order once it has the queue.
    private final class Program: Sendable {
        private let queue = Mutex<TransferQueue?>(nil)
        let order: Order
        let hasReturned = Flag()

        init(_ order: Order) { self.order = order }

        func attach(_ queue: TransferQueue) { self.queue.withLock { $0 = queue } }

        func act() async {
            guard let queue = self.queue.withLock({ $0 }), let id = queue.transfers.first?.id else { return }
            await self.order.give(to: queue, about: id)
            self.hasReturned.raise()
        }
    }

    private struct ActingInterceptor: Interceptor {
        let program: Program

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            await self.program.act()
            return try await next(request)
        }
    }

    private static func open(
        _ scene: TransferQueueScene,
        _ program: Program,
        at place: Place
    ) async throws -> TransferQueue {
        var options = TransferQueue.Options.quick
        if place == .retryRule {
            options.retries = RetryPolicy(attempts: 3) { context in
                await program.act()
                return context.proposal
            }
            options.retries.backoff = .none
        }
        var configuration = Session.Configuration()
        if place == .interceptor { configuration.interceptors = [ActingInterceptor(program: program)] }
        let session = Session(configuration: configuration, transport: scene.transport)
        let queue = try await TransferQueue(at: scene.folder, session: session, options: options) { _, _ in
            if place == .preparation { await program.act() }
        }
        program.attach(queue)
        return queue
    }

    @Test(.bug(id: "F156"), arguments: Place.allCases, Order.allCases)
    func `what an attempt calls may end its transfer, or the queue`(_ place: Place, _ order: Order) async throws {
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { _ in ScriptedResponse(status: .serviceUnavailable) }
            let program = Program(order)
            let queue = try await Self.open(scene, program, at: place)
            let id = try await queue.add(scene.download())
            try #require(await Patience.holds { program.hasReturned.isRaised })
            switch order {
            case .cancel:
                #expect(queue[id]?.state == .cancelled)
                #expect(try await Patience.holds { try scene.directory.names == ["queue"] })
            case .remove:
                #expect(await Patience.holds { queue[id] == nil })
                #expect(try scene.directory.names == ["queue"])
            case .shutdown:
                var changes = queue.changes.makeAsyncIterator()
                while await changes.next() != nil {}
            }
            try #require(await Patience.ends { await queue.shutdown() })
            // The directory is free, and says the same.
            let contents = try TransferDirectory(scene.folder).contents().transfers.map(\.state)
            #expect(contents == (order == .remove ? [] : order == .cancel ? [.cancelled] : [.waiting]))
            await (try scene.open()).shutdown()
        }
    }

    @Test(.bug(id: "F156"), arguments: [Order.cancel, .remove])
    func `two attempts may end each other's transfers`(_ order: Order) async throws {
        try await TransferQueueScene.run { scene in
            let holder = Mutex<TransferQueue?>(nil)
            let entered = Atomic(0)
            let returned = Atomic(0)
            let queue = try await scene.open { _, transfer in
                guard let queue = holder.withLock({ $0 }) else { return }
                entered.add(1, ordering: .relaxed)
                while entered.load(ordering: .relaxed) < 2 { await Task.yield() }
                for other in queue.transfers where other.id != transfer.id {
                    await order.give(to: queue, about: other.id)
                }
                returned.add(1, ordering: .relaxed)
            }
            holder.withLock { $0 = queue }
            for name in ["a", "b"] { try await queue.add(scene.download("/file", name)) }
            try #require(await Patience.holds { returned.load(ordering: .relaxed) == 2 })
            #expect(try await Patience.holds { try scene.directory.names == ["queue"] })
            if order == .remove { #expect(await Patience.holds { queue.transfers.isEmpty }) }
            await queue.shutdown()
        }
    }

    @Test(.bug(id: "F156"), arguments: [Order.cancel, .remove])
    func `the preparation of the request that terminates an upload may end it again`(_ order: Order) async throws {
        try await UploadTestScene.run { scene in
            let program = Program(order)
            let queue = try await TransferQueue(
                at: scene.directory.file("queue"),
                session: scene.session,
                options: .quick
            ) { _, _ in await program.act() }
            program.attach(queue)
            let url = try Peer.url("\(scene.server.url)/files")
            let id = try await queue.add(.upload(scene.file, to: url, resuming: scene.upload))
            try #require(await Patience.holds { program.hasReturned.isRaised })
            try #require(await Patience.ends { try? await queue.cancel(id) })
            if order == .remove { #expect(await Patience.holds { queue[id] == nil }) }
            try #require(await Patience.ends { await queue.shutdown() })
        }
    }

    /// Lets an attempt wait for the end of all attempts, which it must survive.
    ///
    /// - Returns: What the wait has thrown.
    static func waitInAttempt() async throws -> (any Error)? {
        let holder = Mutex<TransferQueue?>(nil)
        let failure = Mutex<(any Error)?>(nil)
        try await TransferQueueScene.run { scene in
            scene.server.respond(to: "/file") { _ in ScriptedResponse(body: "hello") }
            let queue = try await scene.open { _, _ in
                guard let queue = holder.withLock({ $0 }) else { return }
                do { try await queue.waitUntilIdle() } catch { failure.withLock { $0 = error } }
            }
            holder.withLock { $0 = queue }
            let id = try await queue.add(scene.download())
            try #require(await Patience.holds { queue[id]?.state == .finished })
            try await queue.waitUntilIdle()
            await queue.shutdown()
        }
        return failure.withLock { $0 }
    }

    @Test(.bug(id: "F169"))
    func `an attempt that waits for the end of all attempts gets an error, and goes on`() async throws {
        let error = try #require(try await Self.waitInAttempt() as? SessionError)
        #expect(error.code == .wouldDeadlock)
    }

    @Test func `a transfer that is resumed before its attempt has ended is not removed`() async throws {
        try await TransferQueueScene.run { scene in
            let origin = RangeOrigin(byteCount: 1000, fields: [:])
            scene.server.respond(to: "/file") { origin.response(to: $0) }
            let holder = Mutex<TransferQueue?>(nil)
            let isSecond = Flag()
            let queue = try await scene.open { _, transfer in
                guard let queue = holder.withLock({ $0 }), !isSecond.isRaised else { return }
                isSecond.raise()
                try await queue.remove(transfer.id)
                try await queue.resume(transfer.id)
            }
            holder.withLock { $0 = queue }
            let id = try await queue.add(scene.download())
            try await queue.wait(for: id) { $0.state == .finished }
            #expect(try scene.directory.contents("a") == origin.bytes)
            await queue.shutdown()
        }
    }
}
