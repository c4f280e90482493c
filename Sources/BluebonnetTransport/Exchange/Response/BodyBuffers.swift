// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The buffers of a response body between the socket and the consumer, in order.
///
/// A slice keeps alive the whole receive buffer that it was cut from, which can be thousands of times larger. A slice
/// that fills less than half of its buffer is therefore kept only while the receive buffers of all kept slices stay
/// below a limit together; beyond it, the slice is copied. Pieces of a few bytes are always copied: a buffer for each
/// would cost more than its bytes.
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
        var isSlice: Bool
    }

    private let sliceLimit: Int
    private var entries = CircularBuffer<Entry>()
    /// Copied pieces, which follow all entries.
    private var gathered = ByteBuffer()
    /// The cost of the slices among the entries.
    private var sliceCost = 0
    /// The receive buffer of the last slice that was kept.
    private var lastStorage: UnsafeMutableRawPointer?
    /// The bytes of memory that all buffers hold.
    private(set) var memoryByteCount = 0

    /// Creates an empty queue.
    ///
    /// - Parameter sliceLimit: The bytes of memory that slices may keep alive before small ones are copied.
    init(sliceLimit: Int) {
        self.sliceLimit = sliceLimit
    }

    var isEmpty: Bool { self.entries.isEmpty && self.gathered.readableBytes == 0 }

    /// Appends a piece of the body.
    mutating func append(_ piece: ByteBuffer) {
        let storage = piece.storageIdentity
        let cost = Self.entryCost + (storage == self.lastStorage ? 0 : piece.storageCapacity)
        let fillsHalf = piece.readableBytes >= piece.storageCapacity / 2
        guard self.isEmpty || piece.readableBytes >= Self.smallestSlice,
            fillsHalf || self.sliceCost + cost <= self.sliceLimit
        else { return self.gather(piece) }
        self.closeGathered()
        self.lastStorage = storage
        self.sliceCost += cost
        self.memoryByteCount += cost
        self.entries.append(Entry(bytes: piece, cost: cost, isSlice: true))
    }

    /// Removes and returns the first buffer.
    mutating func popFirst() -> ByteBuffer? {
        guard let entry = self.entries.popFirst() else {
            guard self.gathered.readableBytes > 0 else { return nil }
            defer { self.gathered = ByteBuffer() }
            self.memoryByteCount -= self.gathered.readableBytes
            return self.gathered
        }
        self.memoryByteCount -= entry.cost
        if entry.isSlice { self.sliceCost -= entry.cost }
        // The receive buffer of the last slice may be freed now, and another one allocated at its address.
        if self.sliceCost == 0 { self.lastStorage = nil }
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
        self.entries.append(Entry(bytes: self.gathered, cost: byteCount, isSlice: false))
        self.gathered = ByteBuffer()
    }
}

extension ByteBuffer {
    /// Identifies the storage of a buffer.
    fileprivate var storageIdentity: UnsafeMutableRawPointer {
        self.withVeryUnsafeBytesWithStorageManagement { _, storage in storage.toOpaque() }
    }
}
