// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

/// Requests of every kind, cancelled at random moments, three thousand of them.
@Suite(.timeLimit(.minutes(2))) struct CancellationStormTests {
    private static let count = 3_000
    private static let atOnce = 50

    /// What is done to be cancelled.
    private enum Kind: CaseIterable {
        case collect, stream, dropped, download, upload, task
    }

    @Test func `leave no sockets, no tasks and no files behind`() async throws {
        let server = try await TestServer.start()
        let directory = try TemporaryDirectory()
        var configuration = Session.Configuration()
        configuration.maximumConcurrentRequests = 32
        let session = Session(configuration: configuration, transport: NIOTransport())
        let outcomes = Recorder<Bool>()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.count {
                if number >= Self.atOnce { try await group.next() }
                group.addTask {
                    try await Self.cancelOne(number, session, server.url, directory, outcomes)
                }
            }
            try await group.waitForAll()
        }

        let cancelled = outcomes.elements.count { $0 }
        #expect(outcomes.elements.count == Self.count)
        // Some are faster than their cancellation; a storm in which nearly all are would show nothing.
        #expect(cancelled > Self.count / 4)
        #expect(cancelled < Self.count)
        #expect(try directory.names.allSatisfy { !$0.hasSuffix(".partial") })
        #expect(session.admission.counts == (active: 0, waiting: 0))
        #expect(session.tasks.isEmpty)

        // It still works; then, with the idle connections closed, nothing is left of it.
        let response = try await session.response(for: Request(url: Peer.url("\(server.url)/bytes/10")))
        #expect(response.body.count == 10)
        await session.transport.shutdown()
        try await server.waitForConnections { $0.open == 0 }
        #expect(try await Self.lastSocketCount(port: server.port, wanted: 1) == 1, "the listening socket and no other")
        await server.shutdown()
        #expect(try await Self.lastSocketCount(port: server.port, wanted: 0) == 0)
    }

    private static func cancelOne(
        _ number: Int,
        _ session: Session,
        _ url: String,
        _ directory: TemporaryDirectory,
        _ outcomes: Recorder<Bool>
    ) async throws {
        var random = SystemRandomNumberGenerator()
        let kind = Kind.allCases.randomElement(using: &random) ?? .collect
        let size = [0, 100, 30_000, 300_000].randomElement(using: &random) ?? 0
        // From before the first step to well after the last one.
        let yields = Int.random(in: 0...([0, 5, 50, 500, 5000].randomElement(using: &random) ?? 0), using: &random)
        let file = directory.file("\(number)")
        let request = Request(url: try Peer.url("\(url)/bytes/\(size)"))
        let work = Task { try await Self.run(kind, request, size, session, url, file) }
        for _ in 0..<yields { await Task.yield() }
        work.cancel()
        switch await work.result {
        case .success: outcomes.record(false)
        case .failure(is CancellationError): outcomes.record(true)
        case .failure(let error): throw error
        }
        try? FileManager.default.removeItem(at: file)
    }

    private static func run(
        _ kind: Kind,
        _ request: Request,
        _ size: Int,
        _ session: Session,
        _ url: String,
        _ file: URL
    ) async throws {
        switch kind {
        case .collect:
            _ = try await session.response(for: request)
        case .stream:
            for try await _ in try await session.send(request).body {}
        case .dropped:
            _ = try await session.send(request)
        case .download:
            _ = try await session.download(request, to: file)
        case .upload:
            let body = RequestBody.stream(length: Int64(size), makeReader: { Zeros(left: size) })
            _ = try await session.response(for: Request(method: .post, url: Peer.url("\(url)/upload"), body: body))
        case .task:
            let task = session.downloadTask(with: request, to: file)
            task.resume()
            if Bool.random() { task.suspend() }
            if Bool.random() { task.resume() }
            // Not `value`, which lets go of a cancelled waiter before the session task is over.
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    task.onCompletion { continuation.resume(returning: $0) }
                }
            } onCancel: {
                task.cancel()
            }
            _ = try result.get()
        }
    }

    private struct Zeros: BodyReader {
        var left: Int

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let count = min(buffer.count, self.left)
            self.left -= count
            return count
        }
    }

    /// The number of sockets when it is as wanted, or after some seconds in which it did not become so.
    ///
    /// A connect that was given up may be accepted, and closed, after everything else is over.
    private static func lastSocketCount(port: Int, wanted: Int) async throws -> Int {
        let deadline = ContinuousClock.now + .seconds(10)
        var count = try Self.socketCount(port: port)
        while count != wanted, ContinuousClock.now < deadline {
            await Task.yield()
            count = try Self.socketCount(port: port)
        }
        return count
    }

    /// The number of open sockets of this process with a port at either end.
    ///
    /// Other suites have sockets, too; only the port tells whose one is.
    private static func socketCount(port: Int) throws -> Int {
        #if os(Linux)
        let hexPort = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - hexPort.count) + hexPort
        var inodes: Set<String> = []
        for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
            for line in try Self.text(of: table).split(separator: "\n").dropFirst() {
                let columns = line.split(separator: " ")
                guard columns.count > 9, columns[1].hasSuffix(suffix) || columns[2].hasSuffix(suffix) else { continue }
                inodes.insert("socket:[\(columns[9])]")
            }
        }
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target.map(inodes.contains) ?? false
        }
        #else
        return 0
        #endif
    }

    /// The whole text of a file that the system makes up while it is read: its size is said to be 0, and a read gives a page of it.
    private static func text(of path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        var data = Data()
        while let page = try file.read(upToCount: 4096), !page.isEmpty { data += page }
        return String(decoding: data, as: UTF8.self)
    }
}
