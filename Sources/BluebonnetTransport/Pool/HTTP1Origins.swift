// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The servers that require HTTP/1.1 (RFC 9113 section 7, HTTP_1_1_REQUIRED), remembered for a limited time.
///
/// They are stored per pool key: a response under one server trust does not affect requests under another.
final class HTTP1Origins: Sendable {
    /// How long a server is remembered; it may accept HTTP/2 later.
    static let lifetime = TimeAmount.minutes(10)
    /// How many are remembered.
    static let limit = 256

    /// Whether no server is remembered, which is nearly always the case; then the lock is not taken.
    private let isEmpty = Atomic(true)
    private let ends = Mutex<[PoolKey: NIODeadline]>([:])

    /// Remembers a server.
    func insert(_ key: PoolKey, now: NIODeadline) {
        self.ends.withLock { ends in
            ends[key] = now + Self.lifetime
            guard ends.count > Self.limit else { return }
            ends = ends.filter { $0.value > now }
            if ends.count > Self.limit, let first = ends.min(by: { $0.value < $1.value }) { ends[first.key] = nil }
        }
        self.isEmpty.store(false, ordering: .relaxed)
    }

    /// Whether a server is remembered.
    func contains(_ key: PoolKey, now: NIODeadline) -> Bool {
        guard !self.isEmpty.load(ordering: .relaxed) else { return false }
        return self.ends.withLock { ends in
            guard let end = ends[key] else { return false }
            if end <= now { ends[key] = nil }
            return end > now
        }
    }
}
