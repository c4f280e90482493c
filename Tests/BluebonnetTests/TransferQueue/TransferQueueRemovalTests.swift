// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Bluebonnet

/// The removal of what an upload has left, here and on its server, whatever ends meanwhile.
@Suite(.timeLimit(.minutes(1))) struct TransferQueueRemovalTests {
    enum Order: CaseIterable {
        case cancel, remove

        func give(to queue: TransferQueue, about id: Transfer.ID) async throws {
            switch self {
            case .cancel: try await queue.cancel(id)
            case .remove: try await queue.remove(id)
            }
        }
    }

    /// Opens a queue with an upload that has failed in the middle.
    private static func open(
        _ scene: UploadTestScene,
        prepare: @escaping TransferQueue.Preparation = { _, _ in }
    ) async throws -> (TransferQueue, Transfer.ID) {
        scene.origin.fail(nil, .status(403), .status(403))
        let queue = try await Self.reopen(scene, prepare: prepare)
        let url = try scene.request().url
        let id = try await queue.add(.upload(scene.file, to: url, resuming: scene.upload))
        try await queue.waitUntilIdle()
        #expect(queue[id]?.state == .failed)
        #expect(try scene.directory.names.count == 4)
        return (queue, id)
    }

    private static func reopen(
        _ scene: UploadTestScene,
        prepare: @escaping TransferQueue.Preparation = { _, _ in }
    ) async throws -> TransferQueue {
        try await TransferQueue(
            at: scene.directory.file("queue"),
            session: scene.session,
            options: .quick,
            prepare: prepare
        )
    }

    /// Lets the server answer no request to terminate an upload before the gate is open.
    private static func holdTermination(_ scene: UploadTestScene, until gate: Gate) {
        let origin = scene.origin
        scene.server.respond(to: "/files/0") { request in
            var response = origin.respond(to: request)
            if request.method == .delete { response.effect = .hold(.beforeResponse, until: gate) }
            return response
        }
    }

    /// Shuts a queue down while a termination is under way; the next process has to find the cancelled transfer, and removes its bytes.
    private static func shutdown(_ queue: TransferQueue, in scene: UploadTestScene, holding gate: Gate) async throws {
        try #require(await Patience.holds { scene.origin.methods.last == "DELETE" })
        try #require(await Patience.ends { await queue.shutdown() })
        #expect(try TransferDirectory(scene.directory.file("queue")).contents().transfers.map(\.state) == [.cancelled])
        gate.open()
        let next = try await Self.reopen(scene)
        #expect(try await Patience.holds { try scene.directory.names == ["a", "queue"] })
        await next.shutdown()
    }

    @Test(.bug(id: "F731"), arguments: Order.allCases)
    func `an upload is given up for a caller that is cancelled, too`(_ order: Order) async throws {
        try await UploadTestScene.run { scene in
            let (queue, id) = try await Self.open(scene)
            let caller = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await order.give(to: queue, about: id)
            }
            try await caller.value
            #expect(queue[id]?.state == (order == .cancel ? .cancelled : nil))
            #expect(scene.origin.methods.last == "DELETE")
            #expect(scene.origin.uploads.isEmpty)
            #expect(try scene.directory.names == ["a", "queue"])
            await queue.shutdown()
        }
    }

    @Test(.bug(id: "F732")) func `a transfer whose bytes are not removed keeps its record`() async throws {
        try await UploadTestScene.run { scene in
            let holder = Mutex<TransferQueue?>(nil)
            let isRemoving = Flag()
            let (queue, id) = try await Self.open(scene) { _, transfer in
                guard isRemoving.isRaised, let queue = holder.withLock({ $0 }) else { return }
                isRemoving.lower()
                try await queue.remove(transfer.id)
            }
            holder.withLock { $0 = queue }
            let gate = Gate()
            Self.holdTermination(scene, until: gate)
            isRemoving.raise()
            try await queue.resume(id)
            try await Self.shutdown(queue, in: scene, holding: gate)
            holder.withLock { $0 = nil }
        }
    }

    @Test(.bug(id: "F733"), arguments: Order.allCases)
    func `a shutdown ends the removal of bytes, and waits for that`(_ order: Order) async throws {
        try await UploadTestScene.run { scene in
            let (queue, id) = try await Self.open(scene)
            let gate = Gate()
            Self.holdTermination(scene, until: gate)
            let caller = Task { try await order.give(to: queue, about: id) }
            try await Self.shutdown(queue, in: scene, holding: gate)
            let error = await #expect(throws: SessionError.self) { try await caller.value }
            #expect(error?.code == .shutDown)
        }
    }

    @Test(.bug(id: "F734")) func `the changes of a queue end when it is released`() async throws {
        try await TransferQueueScene.run { scene in
            let changes = try await scene.open().changes
            #expect(await Patience.ends { for await _ in changes {} })
        }
    }
}
