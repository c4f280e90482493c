// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The unsafe requests of a cache, and the requests whose responses may be stored (RFC 9111 section 4.4).
///
/// The RFC requires that stored responses are invalidated when the response to an unsafe request arrives. Two gaps
/// remain. A response that was requested before the change, and is stored after it, would outlive the invalidation: it
/// is not stored. While the change is under way, a stored response may show either state of the resource: it is
/// validated before it is reused.
///
/// An entry is kept as long as a request for its URL is under way.
final class CacheChanges: Sendable {
    private struct Entry {
        /// The requests under way, whatever their method.
        var requestCount = 0
        /// The unsafe requests under way, and the responses that were stored too late and are not removed yet.
        var changeCount = 0
        /// The responses that are being stored.
        var commitCount = 0
        /// Counts the invalidations.
        var version: UInt64 = 0
    }

    private let entries = Mutex<[CacheKey: Entry]>([:])

    private let invalidations = Atomic<UInt64>(0)

    /// The number of invalidations of any URL: sessions with copies of one cache learn from it that responses under
    /// way may be outdated.
    var invalidationCount: UInt64 { self.invalidations.load(ordering: .acquiring) }

    /// Whether the stored responses for a URL may be about to be invalidated.
    func isUnderWay(for key: CacheKey) -> Bool {
        self.entries.withLock { ($0[key]?.changeCount ?? 0) > 0 }
    }

    /// The number of URLs with a request under way.
    var count: Int { self.entries.withLock { $0.count } }

    // MARK: Unsafe requests

    /// Begins an unsafe request.
    func begin(for key: CacheKey) {
        self.entries.withLock { entries in
            entries[key, default: Entry()].requestCount += 1
            entries[key]?.changeCount += 1
        }
    }

    /// Prevents responses requested until now from being stored; the caller empties the store next.
    func invalidate(_ key: CacheKey) {
        // Before the version: a request of the new version must not share an exchange of the old one.
        self.invalidations.add(1, ordering: .releasing)
        self.entries.withLock { entries in
            guard var entry = entries[key] else { return }
            entry.version += 1
            // Responses that are being stored now are too late: they count as changes until they are removed again.
            entry.changeCount += entry.commitCount
            entry.commitCount = 0
            entries[key] = entry
        }
    }

    /// Ends an unsafe request, after the responses that it invalidated were removed.
    func end(for key: CacheKey) {
        self.entries.withLock { $0[key]?.changeCount -= 1 }
        self.leave(key)
    }

    private func leave(_ key: CacheKey) {
        self.entries.withLock { entries in
            // Changed outside the dictionary: in place, the accessors allocate.
            guard var entry = entries[key] else { return }
            entry.requestCount -= 1
            entries[key] = entry.requestCount == 0 ? nil : entry
        }
    }

    // MARK: Requests whose responses may be stored

    /// Begins a request whose response may be stored.
    ///
    /// - Parameter key: The URL.
    /// - Returns: An object that represents the request until its response is stored or dropped.
    func beginFetch(of key: CacheKey) -> Fetch {
        let version = self.entries.withLock { entries in
            var entry = entries[key] ?? Entry()
            entry.requestCount += 1
            entries[key] = entry
            return entry.version
        }
        return Fetch(self, key, version)
    }

    /// A request whose response may be stored.
    final class Fetch: Sendable {
        private let changes: CacheChanges
        private let key: CacheKey
        private let version: UInt64

        fileprivate init(_ changes: CacheChanges, _ key: CacheKey, _ version: UInt64) {
            self.changes = changes
            self.key = key
            self.version = version
        }

        deinit { self.changes.leave(self.key) }

        /// Stores the response, unless it was requested before a change that has ended since.
        ///
        /// - Parameters:
        ///   - store: Stores it.
        ///   - remove: Removes it again, if a change has ended meanwhile.
        /// - Returns: Whether the response stays stored; if it must not be stored at all, neither function is called.
        func commit(_ store: () async -> Void, remove: () async -> Void) async -> Bool {
            let mayBegin = self.change { entry in
                guard entry.version == self.version else { return false }
                entry.commitCount += 1
                return true
            }
            guard mayBegin else { return false }
            await store()
            let isCurrent = self.change { entry in
                guard entry.version == self.version else { return false }
                entry.commitCount -= 1
                return true
            }
            if isCurrent { return true }
            await remove()
            _ = self.change { entry in
                entry.changeCount -= 1
                return true
            }
            return false
        }

        private func change(_ body: (inout Entry) -> Bool) -> Bool {
            self.changes.entries.withLock { entries in
                // The entry is there as long as this object is.
                body(&entries[self.key, default: Entry()])
            }
        }
    }
}
