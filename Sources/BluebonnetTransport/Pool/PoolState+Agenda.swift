// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension PoolState {
    /// The lanes that have a deadline, the earliest first, so that a sweep touches no other lane.
    ///
    /// It is a binary heap in which each lane stores its index: a lane occurs at most once and is removed at once.
    struct Agenda {
        private var lanes = [Lane]()

        /// The earliest deadline of all lanes.
        var earliest: NIODeadline? { self.lanes.first?.due }

        /// Adds a lane with a deadline; a deadline that the lane already has is kept if it is earlier.
        mutating func add(_ lane: Lane, at deadline: NIODeadline) {
            guard let place = lane.place else {
                lane.due = deadline
                lane.place = self.lanes.count
                self.lanes.append(lane)
                return self.rise(lane)
            }
            guard deadline < lane.due, self.lanes[place] === lane else { return }
            lane.due = deadline
            self.rise(lane)
        }

        /// Removes the deadline of a lane.
        mutating func remove(_ lane: Lane) {
            guard let place = lane.place else { return }
            lane.place = nil
            let last = self.lanes.removeLast()
            guard last !== lane else { return }
            self.put(last, at: place)
            self.rise(last)
            self.sink(last)
        }

        /// Removes and returns the next lane that is due.
        mutating func popFirst(due now: NIODeadline) -> Lane? {
            guard let first = self.lanes.first, first.due <= now else { return nil }
            self.remove(first)
            return first
        }

        private mutating func put(_ lane: Lane, at place: Int) {
            self.lanes[place] = lane
            lane.place = place
        }

        private mutating func rise(_ lane: Lane) {
            while let place = lane.place, place > 0 {
                let parent = self.lanes[(place - 1) / 2]
                guard lane.due < parent.due else { return }
                self.put(parent, at: place)
                self.put(lane, at: (place - 1) / 2)
            }
        }

        private mutating func sink(_ lane: Lane) {
            while let place = lane.place {
                let children = (2 * place + 1..<2 * place + 3).prefix { $0 < self.lanes.count }.map { self.lanes[$0] }
                guard let first = children.min(by: { $0.due < $1.due }), first.due < lane.due,
                    let below = first.place
                else { return }
                self.put(first, at: place)
                self.put(lane, at: below)
            }
        }
    }
}
