// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes

@testable import Bluebonnet

extension SessionErrorTests {
    /// What provokes the codes of redirects and of the cache.
    static let policyRecipes: [Recipe] = [
        Recipe(.tooManyRedirects) {
            let transport = StubTransport { _ in .plain("", status: 302, headers: [.location: "/path?token=1"]) }
            _ = try await Session(transport: transport).response(for: request())
        },
        Recipe(.redirectRefused) {
            let transport = StubTransport { _ in .plain("", status: 302, headers: [.location: "http://h/?token=1"]) }
            _ = try await Session(transport: transport).response(for: request("https://user:password@h/?token=1"))
        },
        Recipe(.notCached) {
            var configuration = Session.Configuration()
            configuration.cache = .memory()
            var offline = request()
            offline.options.cachePolicy = .returnCacheDataDontLoad
            _ = try await Session(configuration: configuration, transport: StubTransport()).response(for: offline)
        },
    ]

    /// What provokes the codes of uploads that can be resumed.
    static let uploadRecipes: [Recipe] = [
        Recipe(.sourceChanged) {
            try await upload { scene in
                scene.origin.fail(nil, .cut(after: 0))
                _ = try await scene.failing()
                try Data(scene.bytes.reversed()).write(to: scene.file)
            }
        },
        // Locked by another process; it comes from the failed system call itself.
        Recipe(.uploadInUse) { throw SessionError(ofUploadJournal: SystemError(.lock, 11)) },
        Recipe(.uploadLost) {
            try await upload { scene in
                scene.upload.whenLost = .fail
                scene.origin.fail(nil, .lost)
            }
        },
        Recipe(.uploadProtocolFailed) {
            try await upload { scene in scene.server.respond(to: "/files") { _ in ScriptedResponse(status: .ok) } }
        },
        Recipe(.uploadTooLarge) {
            var fields = HTTPFields()
            if let name = HTTPField.Name("Tus-Max-Size") { fields[name] = "1" }
            try await upload(UploadOrigin(fields: fields)) { _ in }
        },
    ]

    /// What provokes the codes of queues.
    static let queueRecipes: [Recipe] = [
        Recipe(.transferQueueInUse) { try await inQueue { scene, _ in _ = try await scene.open() } },
        Recipe(.transferQueueUnavailable) {
            _ = try await TransferQueue(at: request().url, session: Session(transport: StubTransport()))
        },
        Recipe(.transferQueueFull) {
            try await inQueue { scene, _ in
                for number in 0..<TransferStore.largestCount {
                    let name = "\(Transfer.ID(bitPattern: 1, UInt64(number)))\(TransferStore.nameEnding)"
                    try Data().write(to: scene.folder.appending(path: name))
                }
                _ = try TransferDirectory(scene.folder).add(scene.download())
            }
        },
        Recipe(.transferNotFound) {
            try await inQueue { _, queue in try await queue.pause(Transfer.ID(bitPattern: 1, 1)) }
        },
        Recipe(.wouldDeadlock) {
            if let error = try await TransferQueueReentryTests.waitInAttempt() { throw error }
        },
    ]

    /// Uploads a file, and throws what came of it once its server has ended.
    private static func upload(
        _ origin: UploadOrigin = UploadOrigin(),
        _ prepare: (UploadTestScene) async throws -> Void
    ) async throws {
        var failure: SessionError?
        try await UploadTestScene.run(origin) { scene in
            try await prepare(scene)
            failure = try await scene.failing()
        }
        if let failure { throw failure }
    }

    /// Does something with a queue, and throws what came of it once its server has ended.
    private static func inQueue(_ body: (TransferQueueScene, TransferQueue) async throws -> Void) async throws {
        var failure: (any Error)?
        try await TransferQueueScene.run { scene in
            let queue = try await scene.open()
            do { try await body(scene, queue) } catch { failure = error }
            await queue.shutdown()
        }
        if let failure { throw failure }
    }
}
