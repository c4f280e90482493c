// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The buffers of a response body between the socket and the consumer, in order.
///
/// A slice keeps alive the whole receive buffer that it was cut from, which can be thousands of times larger. Slices are
/// therefore kept without a limit only if those of one receive buffer fill a good part of it together. The others are
/// kept while their receive buffers stay below a limit together; beyond it, slices are copied. Pieces of a few bytes are
/// always copied: a buffer for each would cost more than its bytes.
struct BodyBuffers {
    /// A smaller piece is copied, unless the queue is empty.
    private static let smallestSlice = 1024
    /// The size up to which copied pieces are combined, in bytes.
    private static let gatheringSize = 64 * 1024
    /// The overhead of an entry, in bytes.
    private static let entryCost = 64

    private struct Entry {
        var bytes: ByteBuffer
        /// The bytes of memory that removing the entry releases.
        var cost: Int
        /// The part of them that counts against the limit.
        var sliceCost: Int
    }

    /// The receive buffer of the last slice that was kept.
    private struct Storage {
        let identity: UnsafeMutableRawPointer
        let capacity: Int
        /// The bytes of the slices that were kept of it.
        var keptByteCount: Int
        /// The entry that the buffer's memory is counted with, and the last one that keeps the buffer: their numbers among
        /// all entries that there have been.
        let firstEntry: Int
        var lastEntry: Int

        /// Whether the kept slices fill a good part of the buffer.
        ///
        /// Three eighths, not a half: decrypted bytes come in a buffer with room for one more TLS record, so that 63 KiB of
        /// them are in one of 128 KiB.
        var isFilled: Bool { self.keptByteCount >= self.capacity / 8 * 3 }
    }

    private let sliceLimit: Int
    private var entries = CircularBuffer<Entry>()
    /// The number of entries that have been removed.
    private var removedCount = 0
    /// Copied pieces, which follow all entries.
    private var gathered = ByteBuffer()
    /// The memory of the receive buffers that their slices fill badly.
    private var sliceCost = 0
    private var last: Storage?
    /// The bytes of memory that all buffers hold.
    private(set) var memoryByteCount = 0

    /// Creates an empty queue.
    ///
    /// - Parameter sliceLimit: The bytes of memory that slices may keep alive before they are copied, not counting
    ///   receive buffers that they fill.
    init(sliceLimit: Int) {
        self.sliceLimit = sliceLimit
    }

    var isEmpty: Bool { self.entries.isEmpty && self.gathered.readableBytes == 0 }

    /// Appends a piece of the body.
    mutating func append(_ piece: ByteBuffer) {
        let storage = self.storage(of: piece)
        let isNew = storage.identity != self.last?.identity
        let cost = Self.entryCost + (isNew ? storage.capacity : 0)
        guard self.isEmpty || piece.readableBytes >= Self.smallestSlice,
            storage.isFilled || self.sliceCost + cost <= self.sliceLimit
        else { return self.gather(piece) }
        self.closeGathered()
        self.last = storage
        self.memoryByteCount += cost
        self.add(Entry(bytes: piece, cost: cost, sliceCost: storage.isFilled ? 0 : cost))
        if storage.isFilled { self.forgive(storage.firstEntry) }
    }

    /// The receive buffer of a piece, with the piece counted among those that are kept.
    private func storage(of piece: ByteBuffer) -> Storage {
        let identity = piece.storageIdentity
        // A gathered buffer is closed before the piece, and becomes an entry.
        let entry = self.removedCount + self.entries.count + (self.gathered.readableBytes > 0 ? 1 : 0)
        if var last, last.identity == identity {
            last.keptByteCount += piece.readableBytes
            last.lastEntry = entry
            return last
        }
        return Storage(
            identity: identity,
            capacity: piece.storageCapacity,
            keptByteCount: piece.readableBytes,
            firstEntry: entry,
            lastEntry: entry
        )
    }

    /// Stops counting an entry against the limit, if it is still here.
    private mutating func forgive(_ entry: Int) {
        let place = entry - self.removedCount
        guard place >= 0 else { return }
        let index = self.entries.index(self.entries.startIndex, offsetBy: place)
        self.sliceCost -= self.entries[index].sliceCost
        self.entries[index].sliceCost = 0
    }

    private mutating func add(_ entry: Entry) {
        self.sliceCost += entry.sliceCost
        self.entries.append(entry)
    }

    /// Removes and returns the first buffer.
    mutating func popFirst() -> ByteBuffer? {
        guard let entry = self.entries.popFirst() else {
            guard self.gathered.readableBytes > 0 else { return nil }
            defer { self.gathered = ByteBuffer() }
            self.memoryByteCount -= self.gathered.readableBytes
            return self.gathered
        }
        self.removedCount += 1
        self.memoryByteCount -= entry.cost
        self.sliceCost -= entry.sliceCost
        // The receive buffer of the last slice may be freed now, and another one allocated at its address.
        if let last, last.lastEntry < self.removedCount { self.last = nil }
        return entry.bytes
    }

    mutating func removeAll() {
        self = BodyBuffers(sliceLimit: self.sliceLimit)
    }

    private mutating func gather(_ piece: ByteBuffer) {
        if self.gathered.readableBytes + piece.readableBytes > Self.gatheringSize { self.closeGathered() }
        self.gathered.writeImmutableBuffer(piece)
        self.memoryByteCount += piece.readableBytes
    }

    private mutating func closeGathered() {
        let byteCount = self.gathered.readableBytes
        guard byteCount > 0 else { return }
        self.add(Entry(bytes: self.gathered, cost: byteCount, sliceCost: 0))
        self.gathered = ByteBuffer()
    }
}

extension ByteBuffer {
    /// Identifies the storage of a buffer.
    fileprivate var storageIdentity: UnsafeMutableRawPointer {
        self.withVeryUnsafeBytesWithStorageManagement { _, storage in storage.toOpaque() }
    }
}
