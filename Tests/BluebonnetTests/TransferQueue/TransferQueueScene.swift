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

    /// Every byte below the directory, names included.
    func everything() throws -> String {
        var text = ""
        let paths = try FileManager.default.subpathsOfDirectory(atPath: self.directory.url.path(percentEncoded: false))
        for path in paths {
            text += path + "\n"
            let data = try? Data(contentsOf: self.directory.url.appending(path: path))
            text += String(decoding: data ?? Data(), as: UTF8.self) + "\n"
        }
        return text
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
