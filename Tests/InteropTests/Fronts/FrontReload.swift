// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import NIOCore
import Testing

/// A server reads its configuration again while it is asked for things.
struct FrontReload {
    var front: Front
    var transport: NIOTransport

    /// Requests under way get the rest of their responses, and all that come meanwhile get theirs.
    func check() async throws {
        guard self.losesStreams else { return try await self.check(holdingOn: self.transport) }
        try await self.front.withTransport { try await self.check(holdingOn: $0) }
    }

    /// Whether the server loses the open streams of a connection on which another begins in the millisecond of the reload.
    ///
    /// Apache does so in about every third run: it says GOAWAY for the reload, then for an internal error.
    private var losesStreams: Bool { self.front.kind == .apacheFront && self.front.isHTTP2 }

    private func check(holdingOn holder: NIOTransport) async throws {
        let command = try #require(self.front.server.reload)
        for round in 0..<2 {
            let name = "\(self.front.isHTTP2 ? 2 : 1)x\(round)"
            // The origin holds the second half back until the server has changed.
            let held = try await holder.exchange(
                TransportRequest(origin: self.front.origin, target: "/held/\(name)", responseMode: .streamed)
            )
            try await self.burst()
            let (opened, closed) = (self.transport.statistics.opened, self.transport.statistics.closed)
            try await Self.run(command)
            if self.losesStreams { while self.transport.statistics.closed == closed { try await Self.pause() } }
            try await self.burst()
            if self.endsConnections {
                // The old connections end after a while, and others replace them.
                let deadline = ContinuousClock.now + .seconds(20)
                while self.transport.statistics.opened == opened, ContinuousClock.now < deadline {
                    try await self.burst()
                }
                #expect(self.transport.statistics.opened > opened, "\(self.front.form)")
            }
            #expect(try await self.byteCount("/release/\(name)") == 0)
            #expect(try await held.body.collect(upTo: 1 << 20).readableBytes == 300_000)
        }
    }

    /// Varnish goes on with its connections.
    private var endsConnections: Bool { self.front.kind != .varnishFront }

    /// Asks for as many as would use all connections of the pool.
    private func burst() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await self.byteCount("/bytes/100000") } }
            for try await count in group { #expect(count == 100_000) }
        }
    }

    /// The length of a body, asked for again where a process that ends has closed the connection without an answer.
    ///
    /// Over HTTP/1.1 servers do so with connections that they have accepted and not read from. The engine repeats a request only on a
    /// connection that was used before (RFC 9112 section 9.3.1); on a new one that is for a retry policy to do, as here.
    private func byteCount(_ target: String) async throws -> Int {
        let request = TransportRequest(origin: self.front.origin, target: target)
        for _ in 0..<4 {
            do {
                return try await self.transport.exchange(request).body.collect(upTo: 1 << 20).readableBytes
            } catch let error as TransportError where error.code == .connectionClosed && error.phase == .responseHead {
                continue
            }
        }
        return try await self.transport.exchange(request).body.collect(upTo: 1 << 20).readableBytes
    }

    private static func pause() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    /// Runs a command of a shell until it ends.
    private static func run(_ command: String) async throws {
        let child = Process()
        child.executableURL = URL(filePath: "/bin/sh")
        child.arguments = ["-c", command]
        child.standardOutput = FileHandle.nullDevice
        child.standardError = FileHandle.nullDevice
        try child.run()
        await ExternalServer.end(of: child)
        #expect(child.terminationStatus == 0)
    }
}
