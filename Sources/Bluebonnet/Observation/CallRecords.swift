// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An observer's records of the calls under way; a record is removed with the last event of its call.
final class CallRecords<Record: Sendable>: Sendable {
    private let records = Mutex<[Call.ID: Record]>([:])

    /// Adds the record of a call.
    func begin(_ record: Record, for id: Call.ID) {
        self.records.withLock { $0[id] = record }
    }

    /// The record of a call; nil if it has none.
    subscript(id: Call.ID) -> Record? { self.records.withLock { $0[id] } }

    /// Changes the record of a call that has one.
    func change(_ id: Call.ID, _ body: (inout Record) -> Void) {
        self.records.withLock { records in
            guard var record = records[id] else { return }
            body(&record)
            records[id] = record
        }
    }

    /// Removes the record of a call and returns it; nil if it has none.
    func end(_ id: Call.ID) -> Record? {
        self.records.withLock { $0.removeValue(forKey: id) }
    }
}
