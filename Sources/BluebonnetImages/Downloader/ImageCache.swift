// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// An in-memory cache of images with least-recently-used eviction.
///
/// When the images take more than ``maximumByteCount``, the least recently used ones are removed until the rest takes
/// no more than ``preferredByteCount``. Linux does not notify a program when memory runs low; call ``removeAll()`` if
/// you know that it does.
public final class ImageCache: Sendable {
    /// What an image counts in addition to its bytes and those of its key, for the memory that keeps them.
    private static let entryByteCount = 512

    private struct Entry {
        var image: Image
        var byteCount: Int
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var byteCount = 0
        var uses: UInt64 = 0

        /// Removes an image, which the caller releases outside the lock: its decoder may be the program's.
        mutating func remove(_ key: Key) -> Image? {
            guard let entry = self.entries.removeValue(forKey: key) else { return nil }
            self.byteCount -= entry.byteCount
            return entry.image
        }
    }

    /// The number of bytes that the images may take.
    public let maximumByteCount: Int

    /// The number of bytes left after a purge.
    public let preferredByteCount: Int

    private let state = Mutex(State())

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - maximumByteCount: The number of bytes that the images may take; 100 MiB unless given.
    ///   - preferredByteCount: The number of bytes left after a purge, never more than `maximumByteCount`; 60 MiB
    ///     unless given.
    public init(maximumByteCount: Int = 100 << 20, preferredByteCount: Int = 60 << 20) {
        self.maximumByteCount = max(maximumByteCount, 0)
        self.preferredByteCount = min(max(preferredByteCount, 0), self.maximumByteCount)
    }

    /// The number of bytes that the images take: each counts with its file and the pixels that it may keep, with
    /// its key, and with another 512 bytes.
    public var byteCount: Int { self.state.withLock { $0.byteCount } }

    /// The number of images.
    public var count: Int { self.state.withLock { $0.entries.count } }

    /// Adds an image, replacing the one with the same key, and purges if there are too many.
    ///
    /// - Parameters:
    ///   - image: The image; one that is larger than ``maximumByteCount`` is not kept.
    ///   - key: Its key.
    public func add(_ image: Image, for key: Key) {
        let byteCount = image.largestByteCount + key.byteCount + Self.entryByteCount
        // What is removed is released outside the lock.
        _ = self.state.withLock { state -> [Image] in
            let replaced = state.remove(key)
            var removed = replaced.map { [$0] } ?? []
            guard byteCount <= self.maximumByteCount else { return removed }
            state.uses += 1
            state.entries[key] = Entry(image: image, byteCount: byteCount, lastUse: state.uses)
            state.byteCount += byteCount
            if state.byteCount > self.maximumByteCount { removed += self.purge(&state) }
            return removed
        }
    }

    /// Returns an image, which counts as a use of it.
    ///
    /// - Parameter key: Its key.
    /// - Returns: The image; nil if there is none.
    public func image(for key: Key) -> Image? {
        self.state.withLock { state in
            guard state.entries[key] != nil else { return nil }
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return state.entries[key]?.image
        }
    }

    /// Removes an image.
    ///
    /// - Parameter key: Its key.
    /// - Returns: Whether there was one.
    @discardableResult
    public func remove(_ key: Key) -> Bool {
        let removed = self.state.withLock { $0.remove(key) }
        return removed != nil
    }

    /// Removes all images.
    public func removeAll() {
        // What is removed is released outside the lock.
        _ = self.state.withLock { state -> [Key: Entry] in
            defer { (state.entries, state.byteCount) = ([:], 0) }
            return state.entries
        }
    }

    /// Removes the images that were not used for the longest time, and returns them.
    private func purge(_ state: inout State) -> [Image] {
        var removed: [Image] = []
        for (key, _) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            if state.byteCount <= self.preferredByteCount { break }
            if let image = state.remove(key) { removed.append(image) }
        }
        return removed
    }
}
