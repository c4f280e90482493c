// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The buffers of a response's body between the socket and the consumer, in their order.
///
/// A slice keeps the whole receive buffer in memory that it was cut from, which can be thousands of times larger. So a slice that fills less
/// than half of it is kept only while the receive buffers behind all kept slices have no more bytes together than a limit, and is copied
/// otherwise. Pieces of a few bytes are always copied: each of them in a buffer of its own would cost more than its bytes.
struct BodyBuffers {
    /// A piece of fewer bytes is copied, unless there is nothing before it.
    private static let smallestSlice = 1024
    /// Copied pieces are put together up to this size.
    private static let gatheringSize = 64 * 1024
    /// What an entry costs beside its bytes.
    private static let entryCost = 64

    private struct Entry {
        var bytes: ByteBuffer
        /// The bytes of memory that are released with it.
        var cost: Int
        var isSlice: Bool
    }

    private let sliceLimit: Int
    private var entries = CircularBuffer<Entry>()
    /// Copied pieces, behind all entries.
    private var gathered = ByteBuffer()
    /// The cost of the slices among the entries.
    private var sliceCost = 0
    /// The receive buffer of the last slice that was kept.
    private var lastStorage: UnsafeMutableRawPointer?
    /// The bytes of memory that the buffers hold.
    private(set) var memoryByteCount = 0

    /// Creates an empty queue.
    ///
    /// - Parameter sliceLimit: The bytes of memory that slices may keep alive before small ones are copied.
    init(sliceLimit: Int) {
        self.sliceLimit = sliceLimit
    }

    var isEmpty: Bool { self.entries.isEmpty && self.gathered.readableBytes == 0 }

    /// Adds a piece of the body behind all others.
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

    /// Takes the first buffer out.
    mutating func popFirst() -> ByteBuffer? {
        guard let entry = self.entries.popFirst() else {
            guard self.gathered.readableBytes > 0 else { return nil }
            defer { self.gathered = ByteBuffer() }
            self.memoryByteCount -= self.gathered.readableBytes
            return self.gathered
        }
        self.memoryByteCount -= entry.cost
        if entry.isSlice { self.sliceCost -= entry.cost }
        // The receive buffer of the last slice may be freed now, and another one have its address.
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
    /// Tells the storage of buffers apart.
    fileprivate var storageIdentity: UnsafeMutableRawPointer {
        self.withVeryUnsafeBytesWithStorageManagement { _, storage in storage.toOpaque() }
    }
}
