// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Without it, `removeFirst()` is the standard library's, which leaves the element in the storage of a circular buffer.
import NIOCore

/// The queue of a lane: the requests that wait for a connection.
extension PoolState {
    struct Waiter {
        let request: Request
        let deadline: NIODeadline?
        /// Its deadline while the attempt to connect that it shared from the beginning lasts.
        let attemptDeadline: NIODeadline?
        /// Whether it may be pipelined.
        let pipelines: Bool
        /// Whether it needs a connection that has served no exchange, because a reused one was dead.
        let isFresh: Bool
        /// How long a back-off may delay it; nil for no limit.
        let patience: TimeAmount?
        /// Its position in the order of the requests of all lanes.
        let order: Int
    }

    /// The position at which a request is enqueued.
    enum WaiterPlace {
        case last
        case first
        /// Before the others, and only for a connection that has served no exchange.
        case firstAndFresh
    }

    /// Requests to be released outside the lock; it is a class because decisions that do not change the state add to it
    /// too.
    final class Discarded {
        fileprivate(set) var requests = [Request]()
    }

    /// Enqueues a request, at the end of its lane or at the front.
    mutating func enqueue(
        _ request: Request,
        in lane: Lane,
        deadline: NIODeadline?,
        attemptDeadline: NIODeadline? = nil,
        pipelines: Bool,
        patience: TimeAmount?,
        place: WaiterPlace
    ) {
        self.waiterCount += 1
        let first = place != .last
        let waiter = Waiter(
            request: request,
            deadline: deadline,
            attemptDeadline: attemptDeadline,
            pipelines: pipelines,
            isFresh: place == .firstAndFresh,
            patience: patience,
            order: first ? lane.waiters.first?.order ?? self.waiterCount : self.waiterCount
        )
        if first { lane.waiters.prepend(waiter) } else { lane.waiters.append(waiter) }
        if let first = NIODeadline.earlier(deadline, attemptDeadline) { self.agenda.add(lane, at: first) }
    }

    /// Returns the next request of a lane.
    func firstWaiter(_ lane: Lane) -> Waiter? {
        while let first = lane.waiters.first, !self.isWanted(first.request) {
            self.discarded.requests.append(lane.waiters.removeFirst().request)
        }
        return lane.waiters.first
    }

    /// Removes the requests of a lane that are no longer wanted.
    func removeUnwanted(_ lane: Lane) {
        var wanted = CircularBuffer<Waiter>(initialCapacity: lane.waiters.count)
        for waiter in lane.waiters {
            if self.isWanted(waiter.request) {
                wanted.append(waiter)
            } else {
                self.discarded.requests.append(waiter.request)
            }
        }
        lane.waiters = wanted
    }

    /// Returns the requests that are no longer wanted.
    ///
    /// They are released outside the lock: releasing a request may release its last reference to an object that calls
    /// the pool.
    func takeDiscarded() -> [Request] {
        if self.discarded.requests.isEmpty { return [] }
        defer { self.discarded.requests = [] }
        return self.discarded.requests
    }
}
