// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// A property of servers, remembered for a limited time.
///
/// It is stored per pool key: a response under one server trust does not affect requests under another.
final class ServerMemory<Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let end: NIODeadline
    }

    /// How long a server is remembered; it may be configured differently later.
    static var lifetime: TimeAmount { .minutes(10) }
    /// How many are remembered.
    static var limit: Int { 256 }

    /// Whether no server is remembered; then the lock is not taken.
    private let isEmpty = Atomic(true)
    private let entries = Mutex<[PoolKey: Entry]>([:])

    /// Remembers the value of a server.
    func insert(_ value: Value, for key: PoolKey, now: NIODeadline) {
        self.entries.withLock { entries in
            entries[key] = Entry(value: value, end: now + Self.lifetime)
            guard entries.count > Self.limit else { return }
            entries = entries.filter { $0.value.end > now }
            guard entries.count > Self.limit, let first = entries.min(by: { $0.value.end < $1.value.end }) else {
                return
            }
            entries[first.key] = nil
        }
        self.isEmpty.store(false, ordering: .relaxed)
    }

    /// Returns the value of a server, if it is remembered.
    func value(for key: PoolKey, now: NIODeadline) -> Value? {
        guard !self.isEmpty.load(ordering: .relaxed) else { return nil }
        return self.entries.withLock { entries in
            guard let entry = entries[key] else { return nil }
            guard entry.end <= now else { return entry.value }
            entries[key] = nil
            return nil
        }
    }
}
