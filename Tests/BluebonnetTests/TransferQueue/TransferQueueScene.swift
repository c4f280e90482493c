// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// A server, a folder for a queue, and a folder for the files; each queue that is opened stands for a process.
struct TransferQueueScene: Sendable {
    let server: TestServer
    let transport: NIOTransport
    let directory: TemporaryDirectory

    static func run(_ body: (TransferQueueScene) async throws -> Void) async throws {
        var configuration = TestServer.Configuration()
        configuration.recordedBodyLimit = 16 * 1024 * 1024
        try await TestServer.withServer(configuration: configuration) { server in
            let transport = try server.makeTransport()
            try await body(TransferQueueScene(server: server, transport: transport, directory: TemporaryDirectory()))
            await transport.shutdown()
        }
    }

    var folder: URL { self.directory.file("queue") }

    var file: URL { self.directory.file("a") }

    func url(_ path: String = "/file") throws -> URL { try Peer.url(self.server.url + path) }

    func download(
        _ path: String = "/file",
        _ name: String = "a",
        priority: Transfer.Priority = .normal
    ) throws -> Transfer {
        .download(try self.url(path), to: self.directory.file(name), priority: priority)
    }

    /// Opens the queue as a process of its own would.
    func open(
        _ options: TransferQueue.Options = .quick,
        clock: SessionClock = .system,
        prepare: @escaping TransferQueue.Preparation = { _, _ in }
    ) async throws -> TransferQueue {
        var configuration = Session.Configuration()
        configuration.clock = clock
        let session = Session(configuration: configuration, transport: self.transport)
        return try await TransferQueue(at: self.folder, session: session, options: options, prepare: prepare)
    }

    /// Whether a text is anywhere below the directory, in a file or in a name.
    func holds(_ text: String) throws -> Bool {
        var all = Data()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: self.directory.url.path(percentEncoded: false))
        for path in paths {
            all += Data(path.utf8) + [0]
            // A folder has no content.
            if let data = try? Data(contentsOf: self.directory.url.appending(path: path)) { all += data + [0] }
        }
        return all.range(of: Data(text.utf8)) != nil
    }
}

extension TransferQueue.Options {
    /// No waits between attempts.
    static let quick: Self = {
        var options = Self()
        options.retries.backoff = .none
        return options
    }()
}

extension TransferQueue {
    /// Waits until a transfer is as it should be.
    @discardableResult
    nonisolated func wait(
        for id: Transfer.ID,
        until condition: @Sendable (Transfer) -> Bool
    ) async throws -> Transfer {
        for await change in self.changes {
            if case .updated(let transfer) = change, transfer.id == id, condition(transfer) { return transfer }
        }
        throw CancellationError()
    }
}
