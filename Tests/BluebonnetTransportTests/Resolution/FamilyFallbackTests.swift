// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import TestSupport
import Testing

@testable import BluebonnetTransport

@Suite(.timeLimit(.minutes(1)), .bug(id: "F706")) struct FamilyFallbackTests {
    private struct Failure: Error, Equatable {
        let name: String
    }

    private static func addresses(_ texts: String...) throws -> [SocketAddress] {
        try texts.map { try SocketAddress(ipAddress: $0, port: 80) }
    }

    /// Ends when its task is cancelled.
    private static func hang() async throws -> Never {
        for await _ in AsyncStream<Void>(unfolding: { await untilCancelled() }) {}
        throw CancellationError()
    }

    private static func untilCancelled() async -> Void? {
        while !Task.isCancelled { await Task.yield() }
        return nil
    }

    @Test func `a lookup in time asks for nothing else`() async throws {
        let isAsked = Flag()
        let fallback = FamilyFallback(
            both: { try Self.addresses("::1", "127.0.0.1") },
            ipv4: {
                isAsked.raise()
                return []
            },
            patience: { try await Self.hang() }
        )
        #expect(try await fallback.run() == Self.addresses("::1", "127.0.0.1"))
        #expect(!isAsked.isRaised)
    }

    @Test func `while the lookup of both hangs, the addresses of IPv4 are used`() async throws {
        let fallback = FamilyFallback(
            both: { try await Self.hang() },
            ipv4: { try Self.addresses("127.0.0.1") },
            patience: {}
        )
        #expect(try await fallback.run() == Self.addresses("127.0.0.1"))
    }

    @Test(arguments: [true, false]) func `a host without IPv4 is waited for`(_ fails: Bool) async throws {
        let isOver = Flag()
        let fallback = FamilyFallback(
            both: {
                while !isOver.isRaised { await Task.yield() }
                return try Self.addresses("::1")
            },
            ipv4: {
                isOver.raise()
                if fails { throw Failure(name: "IPv4") }
                return []
            },
            patience: {}
        )
        #expect(try await fallback.run() == Self.addresses("::1"))
    }

    @Test func `an error in time is the result`() async throws {
        let fallback = FamilyFallback(
            both: { throw Failure(name: "both") },
            ipv4: { try Self.addresses("127.0.0.1") },
            patience: { try await Self.hang() }
        )
        await #expect(throws: Failure(name: "both")) { try await fallback.run() }
    }

    @Test(arguments: [true, false])
    func `a late error waits for the lookup that is under way, and is the result if that fails too`(
        _ fails: Bool
    ) async throws {
        let (isStarted, hasFailed) = (Flag(), Flag())
        let fallback = FamilyFallback(
            both: {
                while !isStarted.isRaised { await Task.yield() }
                defer { hasFailed.raise() }
                throw Failure(name: "both")
            },
            ipv4: {
                isStarted.raise()
                while !hasFailed.isRaised { await Task.yield() }
                if fails { throw Failure(name: "IPv4") }
                return try Self.addresses("127.0.0.1")
            },
            patience: {}
        )
        if fails {
            await #expect(throws: Failure(name: "both")) { try await fallback.run() }
        } else {
            #expect(try await fallback.run() == Self.addresses("127.0.0.1"))
        }
    }

    @Test func `a cancellation ends the wait, though a lookup does not react to it`() async throws {
        let (isStarted, isOver) = (Flag(), Flag())
        let fallback = FamilyFallback(
            both: {
                isStarted.raise()
                while !isOver.isRaised { await Task.yield() }
                return []
            },
            ipv4: { [] },
            patience: { try await Self.hang() }
        )
        let task = Task { try await fallback.run() }
        while !isStarted.isRaised { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        isOver.raise()
    }
}
