// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// An in-memory cache of images with least-recently-used eviction.
///
/// When the images take more than ``capacity``, the least recently used ones are removed until the rest takes no more
/// than ``preferredByteCount``. Linux does not notify a program when memory runs low; call ``removeAll()`` if you know
/// that it does.
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

    /// The number of bytes that the images may take.
    public let capacity: Int

    /// The number of bytes left after a purge.
    public let preferredByteCount: Int

    private let state = Mutex(State())

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The number of bytes that the images may take; 100 MiB unless given.
    ///   - preferredByteCount: The number of bytes left after a purge, never more than the capacity; 60 MiB unless
    ///     given.
    public init(capacity: Int = 100 << 20, preferredByteCount: Int = 60 << 20) {
        self.capacity = max(capacity, 0)
        self.preferredByteCount = min(max(preferredByteCount, 0), self.capacity)
    }

    /// The number of bytes that the images may take: each counts with its file and the pixels that it may keep.
    public var byteCount: Int { self.state.withLock { $0.byteCount } }

    /// The number of images.
    public var count: Int { self.state.withLock { $0.entries.count } }

    /// Adds an image, replacing the one with the same key, and purges if there are too many.
    ///
    /// - Parameters:
    ///   - image: The image; one that is larger than ``capacity`` is not kept.
    ///   - key: Its key.
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
        self.state.withLock { $0.remove(key) }
    }

    /// Removes all images.
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
