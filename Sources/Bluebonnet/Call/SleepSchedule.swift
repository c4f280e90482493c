// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The waits of a ``SleepQueue``, and the alarms that end them; a value that neither waits nor calls other code.
///
/// Each change returns the moment of an alarm that has to be set, if there is one. Alarms are never taken back: one for
/// a wait that has ended finds nothing to do. A later wait needs no alarm of its own, so there is at most one for each
/// length of waits in use.
struct SleepSchedule<Waiter> {
    private struct Entry {
        let deadline: SessionClock.Instant
        let id: UInt64
    }

    private var waiters: [UInt64: Waiter] = [:]
    /// A binary heap, the earliest deadline first, also of waits that have ended.
    private var heap: [Entry] = []
    /// The moments of the alarms that are set, the earliest last.
    private var alarms: [SessionClock.Instant] = []

    /// The number of waits.
    var count: Int { self.waiters.count }

    /// The number of entries and alarms, which outlive their waits.
    var storedCount: Int { self.heap.count + self.alarms.count }

    /// Adds a wait.
    ///
    /// - Parameters:
    ///   - waiter: Who waits.
    ///   - id: A number that no other wait has.
    ///   - deadline: The end of the wait.
    /// - Returns: The moment of an alarm to set.
    mutating func add(
        _ waiter: Waiter,
        _ id: UInt64,
        until deadline: SessionClock.Instant
    ) -> SessionClock.Instant? {
        self.waiters[id] = waiter
        self.heap.append(Entry(deadline: deadline, id: id))
        self.rise(self.heap.count - 1)
        return self.nextAlarm()
    }

    /// Removes a wait before its end.
    ///
    /// - Returns: Who waits; nil if the wait has ended.
    mutating func remove(_ id: UInt64) -> Waiter? {
        guard let waiter = self.waiters.removeValue(forKey: id) else { return nil }
        // To find the entry would take time in proportion to their number. They go together, once most have ended.
        if self.heap.count > 2 * self.waiters.count + 16 {
            // What is sorted is a heap.
            self.heap = self.heap.filter { self.waiters[$0.id] != nil }.sorted { $0.deadline < $1.deadline }
        }
        return waiter
    }

    /// Ends the waits that are due.
    ///
    /// - Parameters:
    ///   - alarm: The moment of the alarm that has come.
    ///   - now: The time, which may be earlier.
    /// - Returns: Who waited, in the order of their deadlines, and the moment of the next alarm to set.
    mutating func wake(
        by alarm: SessionClock.Instant,
        at now: SessionClock.Instant
    ) -> (due: [Waiter], next: SessionClock.Instant?) {
        self.alarms.removeAll { $0 == alarm }
        var due: [Waiter] = []
        while let first = self.heap.first, first.deadline <= now || self.waiters[first.id] == nil {
            self.removeFirst()
            if let waiter = self.waiters.removeValue(forKey: first.id) { due.append(waiter) }
        }
        return (due, self.nextAlarm())
    }

    /// The earliest deadline, if no alarm comes by then; it counts as set from here on.
    private mutating func nextAlarm() -> SessionClock.Instant? {
        guard let first = self.heap.first?.deadline, self.alarms.last.map({ first < $0 }) ?? true else { return nil }
        self.alarms.append(first)
        return first
    }

    // MARK: The heap

    private mutating func removeFirst() {
        self.heap.swapAt(0, self.heap.count - 1)
        self.heap.removeLast()
        self.sink(0)
    }

    private mutating func rise(_ place: Int) {
        var place = place
        while place > 0 {
            let parent = (place - 1) / 2
            guard self.heap[place].deadline < self.heap[parent].deadline else { return }
            self.heap.swapAt(place, parent)
            place = parent
        }
    }

    private mutating func sink(_ place: Int) {
        var place = place
        while true {
            let children = (2 * place + 1..<2 * place + 3).clamped(to: 0..<self.heap.count)
            guard let first = children.min(by: { self.heap[$0].deadline < self.heap[$1].deadline }),
                self.heap[first].deadline < self.heap[place].deadline
            else { return }
            self.heap.swapAt(place, first)
            place = first
        }
    }
}
