// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Pictures in memory, purged by last use.
///
/// When the pictures take more than ``capacity``, those that were not used for the longest time are removed until the rest takes no more than
/// ``preferredByteCount``. Nothing on Linux tells a program that memory runs short; call ``removeAll()`` where you know it.
public final class ImageCache: Sendable {
    private struct Entry {
        var image: Image
        var byteCount: Int
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var byteCount = 0
        var uses: UInt64 = 0

        mutating func remove(_ key: Key) -> Bool {
            guard let entry = self.entries.removeValue(forKey: key) else { return false }
            self.byteCount -= entry.byteCount
            return true
        }
    }

    /// The number of bytes that pictures may take.
    public let capacity: Int

    /// The number of bytes that is left after a purge.
    public let preferredByteCount: Int

    private let state = Mutex(State())

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The number of bytes that pictures may take; 100 MiB unless given.
    ///   - preferredByteCount: The number of bytes that is left after a purge, never more than the capacity; 60 MiB unless given.
    public init(capacity: Int = 100 << 20, preferredByteCount: Int = 60 << 20) {
        self.capacity = max(capacity, 0)
        self.preferredByteCount = min(max(preferredByteCount, 0), self.capacity)
    }

    /// The number of bytes that the pictures may take: each counts with its file and the pixels that it may keep.
    public var byteCount: Int { self.state.withLock { $0.byteCount } }

    /// The number of pictures.
    public var count: Int { self.state.withLock { $0.entries.count } }

    /// Adds a picture, in place of the one with the same key, and purges if there are too many.
    ///
    /// - Parameters:
    ///   - image: The picture; one that is larger than ``capacity`` is not kept.
    ///   - key: What it is found by.
    public func add(_ image: Image, for key: Key) {
        let byteCount = image.largestByteCount
        self.state.withLock { state in
            _ = state.remove(key)
            guard byteCount <= self.capacity else { return }
            state.uses += 1
            state.entries[key] = Entry(image: image, byteCount: byteCount, lastUse: state.uses)
            state.byteCount += byteCount
            if state.byteCount > self.capacity { self.purge(&state) }
        }
    }

    /// Finds a picture, which counts as a use of it.
    ///
    /// - Parameter key: What it is found by.
    /// - Returns: The picture; nil if there is none.
    public func image(for key: Key) -> Image? {
        self.state.withLock { state in
            guard state.entries[key] != nil else { return nil }
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return state.entries[key]?.image
        }
    }

    /// Removes a picture.
    ///
    /// - Parameter key: What it is found by.
    /// - Returns: Whether there was one.
    @discardableResult
    public func remove(_ key: Key) -> Bool {
        self.state.withLock { $0.remove(key) }
    }

    /// Removes all pictures.
    public func removeAll() {
        self.state.withLock { state in
            state.entries = [:]
            state.byteCount = 0
        }
    }

    private func purge(_ state: inout State) {
        for (key, _) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            if state.byteCount <= self.preferredByteCount { return }
            _ = state.remove(key)
        }
    }
}
