// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The transfers of a queue, and the order in which they start.
struct TransferEntries: Sendable {
    private var entries: [Transfer.ID: TransferEntry] = [:]

    var count: Int { self.entries.count }

    var ids: [Transfer.ID] { Array(self.entries.keys) }

    subscript(_ id: Transfer.ID) -> TransferEntry? {
        get { self.entries[id] }
        set { self.entries[id] = newValue }
    }

    /// The transfer that starts next: the oldest of those that may start now and have the highest priority.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - active: The transfers whose last attempt has not stopped yet.
    /// - Returns: Its identity; nil if there is none.
    func next<Value>(at now: SessionClock.Instant, besides active: [Transfer.ID: Value]) -> Transfer.ID? {
        self.entries.values
            .filter { $0.isDue(at: now) && active[$0.id] == nil }
            .min { ($1.transfer.priority, $0.id) < ($0.transfer.priority, $1.id) }?.id
    }

    /// The earliest time at which a transfer may start that may not start now; nil if there is none.
    func nextDue<Value>(
        after now: SessionClock.Instant,
        besides active: [Transfer.ID: Value]
    ) -> SessionClock.Instant? {
        self.entries.values
            .filter { $0.state == .waiting && active[$0.id] == nil }
            .compactMap(\.due)
            .filter { $0 > now }
            .min()
    }
}
