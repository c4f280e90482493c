// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import Foundation

@testable import Bluebonnet

/// What a program does with a session, one thing at a time.
enum StormOperation: String, CaseIterable, Sendable {
    case get, head, stream, dropped, lines, upload, chunkedUpload, progress
    case download, continuedDownload, parallelDownload, resumableUpload
    case hedged, shared, cached, redirected, guarded, flaky, rateLimited, late
    case dataTask, suspendedTask, pausedTask, neverResumedTask, downloadTask
    case route, queuedTransfer, otherSession

    /// Whether another path may be requested instead, which never answers.
    var mayHang: Bool {
        switch self {
        case .get, .head, .stream, .lines, .progress, .download, .hedged, .shared, .flaky, .dataTask, .pausedTask,
            .downloadTask:
            true
        default: false
        }
    }

    /// The errors with which it may end without anybody's fault.
    func mayFail(with error: SessionError) -> Bool {
        switch self {
        case .late: error.code == .timedOut
        case .otherSession: error.code == .shutDown
        case .queuedTransfer: error.code == .transferNotFound
        // A try has the number of the one before it, so both may fail.
        case .flaky: error.code == .unacceptableStatus
        case .guarded: error.code == .authenticationFailed || error.code == .unacceptableStatus
        default: false
        }
    }
}

/// The wrong end of an operation.
struct StormFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func check(_ count: Int, _ expected: Int) throws {
        guard count == expected else { throw StormFault("\(count) bytes instead of \(expected)") }
    }
}

/// One operation, and what it has.
struct StormCourse {
    let scene: StormScene
    let handle: StormHandle
    let cancellers: StormCancellers
    var random: SeededGenerator

    /// A request that tells the operation of its events.
    mutating func request(_ path: String) throws -> Request {
        var path = path
        // Only what is cancelled for sure may wait for what never comes.
        let mayHang = self.handle.operation.mayHang && self.cancellers.isCertain
        if mayHang, Int.random(in: 0..<4, using: &self.random) == 0 {
            // A response to HEAD has no body to stall in: it is whole, and the next request would wait for the server.
            let stalls = Bool.random(using: &self.random) && self.handle.operation != .head
            path = stalls ? "/stall" : "/hang"
        }
        let server = self.scene.servers[Int.random(in: 0..<self.scene.servers.count, using: &self.random)]
        return try self.request(path, of: server.url)
    }

    func request(_ path: String, of base: String) throws -> Request {
        var request = Request(url: try Peer.url(base + path))
        request.context[StormHandle.self] = self.handle
        return request
    }

    var file: URL { self.scene.directory.file("\(self.handle.number)") }

    mutating func size() -> Int {
        let most = [1, 1_000, 40_000, 400_000].randomElement(using: &self.random) ?? 1
        return Int.random(in: 0..<most, using: &self.random)
    }

    mutating func run() async throws {
        switch self.handle.operation {
        case .get, .head, .stream, .dropped, .lines, .upload, .chunkedUpload, .progress, .late:
            try await self.exchange()
        case .hedged, .shared, .cached, .redirected, .guarded, .flaky, .rateLimited: try await self.pass()
        case .download, .continuedDownload, .parallelDownload, .resumableUpload, .queuedTransfer:
            try await self.transfer()
        case .dataTask, .suspendedTask, .pausedTask, .neverResumedTask, .downloadTask: try await self.useTask()
        case .route: try await self.wait()
        case .otherSession: try await self.endSession()
        }
    }
}
