// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A lookup of both address families, and one of IPv4 alone if the first takes long.
///
/// Some name servers do not answer the query for IPv6 addresses. The system waits for it for 10 s with its usual settings,
/// although the IPv4 addresses have arrived (RFC 8305 section 3 uses them soon after).
struct FamilyFallback: Sendable {
    typealias LookUp = @Sendable () async throws -> [SocketAddress]

    private enum Answer: Sendable {
        case both(Result<[SocketAddress], any Error>)
        case ipv4Started
        case ipv4(Result<[SocketAddress], any Error>)
    }

    /// Looks up the addresses of both families.
    let both: LookUp
    /// Looks up the IPv4 addresses.
    let ipv4: LookUp
    /// Ends when the IPv4 addresses are to be looked up too.
    let patience: @Sendable () async throws -> Void

    /// Returns the first addresses that are found.
    ///
    /// - Throws: The error of the lookup of both; `CancellationError` at once when the task is cancelled.
    func run() async throws -> [SocketAddress] {
        let (answers, answer) = AsyncStream<Answer>.makeStream()
        // Not children of this task, which would wait for them: a lookup that the system has begun cannot be interrupted.
        let whole = Task { answer.yield(.both(await Self.result(of: self.both))) }
        // Cancelled below, like the other.
        let part = Task {
            try await self.patience()
            answer.yield(.ipv4Started)
            answer.yield(.ipv4(await Self.result(of: self.ipv4)))
        }
        defer {
            whole.cancel()
            part.cancel()
        }
        var isWaitingForPart = false
        var failure: (any Error)?
        for await next in answers {
            switch next {
            case .both(.success(let addresses)): return addresses
            case .both(.failure(let error)):
                guard isWaitingForPart else { throw error }
                failure = error
            case .ipv4Started: isWaitingForPart = true
            case .ipv4(.success(let addresses)) where !addresses.isEmpty: return addresses
            case .ipv4:
                // A host with IPv6 addresses only has none of IPv4.
                isWaitingForPart = false
                if let failure { throw failure }
            }
        }
        throw CancellationError()
    }

    private static func result(of lookUp: LookUp) async -> Result<[SocketAddress], any Error> {
        do { return .success(try await lookUp()) } catch { return .failure(error) }
    }
}
