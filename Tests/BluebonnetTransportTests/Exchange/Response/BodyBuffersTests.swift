// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

@Suite struct BodyBuffersTests {
    private static let sliceLimit = 256 * 1024

    /// A slice of a few bytes from a receive buffer of its own.
    private static func slice(_ bytes: [UInt8], of capacity: Int) throws -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: capacity)
        buffer.writeBytes(bytes)
        let slice = buffer.readSlice(length: bytes.count)
        return try #require(slice)
    }

    @Test(arguments: 0..<40) func `whatever is put in comes out in its order, and nothing stays`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var buffers = BodyBuffers(sliceLimit: Self.sliceLimit)
        var (put, taken) = ([UInt8](), [UInt8]())
        for _ in 0..<400 {
            if Int.random(in: 0..<3, using: &random) > 0 {
                let count = Bool.random(using: &random) ? Int.random(in: 1..<50, using: &random) : 5_000
                let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                put += bytes
                buffers.append(try Self.slice(bytes, of: [count, 16_384].randomElement(using: &random) ?? count))
            } else if let bytes = buffers.popFirst() {
                #expect(bytes.readableBytes > 0)
                taken += Array(bytes.readableBytesView)
            }
            #expect(buffers.isEmpty == (put.count == taken.count))
            #expect(buffers.memoryByteCount >= put.count - taken.count)
        }
        while let bytes = buffers.popFirst() { taken += Array(bytes.readableBytesView) }
        #expect(taken == put)
        #expect(buffers.memoryByteCount == 0)
    }

    @Test(arguments: [1, 100, 2_000]) func `slices do not keep more memory alive than the limit`(size: Int) throws {
        var buffers = BodyBuffers(sliceLimit: Self.sliceLimit)
        let bytes = [UInt8](repeating: 1, count: size)
        for _ in 0..<2_000 { buffers.append(try Self.slice(bytes, of: 65_536)) }
        #expect(buffers.memoryByteCount <= Self.sliceLimit + 2_000 * size)
    }

    @Test func `what fills half of its receive buffer is not copied, however much there is`() throws {
        var buffers = BodyBuffers(sliceLimit: Self.sliceLimit)
        let bytes = [UInt8](repeating: 1, count: 40_000)
        let slices = try (0..<20).map { _ in try Self.slice(bytes, of: 65_536) }
        for slice in slices { buffers.append(slice) }
        #expect(buffers.memoryByteCount >= 20 * 65_536)
        for slice in slices {
            let first = buffers.popFirst()
            #expect(first?.withUnsafeReadableBytes(\.baseAddress) == slice.withUnsafeReadableBytes(\.baseAddress))
        }
        #expect(buffers.memoryByteCount == 0)
    }

    /// What decrypting 64 KiB of TLS records gives: 63 KiB in a buffer of 128 KiB, cut into HTTP/2 frames.
    private static func decrypted() -> (whole: ByteBuffer, frames: [ByteBuffer]) {
        var buffer = ByteBufferAllocator().buffer(capacity: 128 * 1024)
        buffer.writeRepeatingByte(1, count: 63 * 1024)
        let whole = buffer
        return (whole, (0..<7).compactMap { _ in buffer.readSlice(length: 9 * 1024) })
    }

    @Test func `frames that fill their receive buffer together are not copied, however many there are`() {
        var buffers = BodyBuffers(sliceLimit: Self.sliceLimit)
        let pieces = (0..<20).flatMap { _ in Self.decrypted().frames }
        for piece in pieces { buffers.append(piece) }
        for piece in pieces {
            let first = buffers.popFirst()
            #expect(first?.withUnsafeReadableBytes(\.baseAddress) == piece.withUnsafeReadableBytes(\.baseAddress))
        }
        #expect(buffers.memoryByteCount == 0)
    }

    @Test func `frames are copied where those of their receive buffer were too few`() {
        var buffers = BodyBuffers(sliceLimit: Self.sliceLimit)
        for _ in 0..<200 {
            for frame in Self.decrypted().frames.prefix(2) { buffers.append(frame) }
        }
        #expect(buffers.memoryByteCount <= Self.sliceLimit + 200 * 2 * 9 * 1024 + 64 * 1024)
        while buffers.popFirst() != nil {}
        #expect(buffers.memoryByteCount == 0)
    }

    @Test func `a buffer at the address of one that is gone counts anew`() {
        var buffers = BodyBuffers(sliceLimit: Self.sliceLimit)
        var addresses: [UnsafeRawPointer: Int] = [:]
        for _ in 0..<200 {
            let (whole, frames) = Self.decrypted()
            whole.withUnsafeReadableBytes { if let base = $0.baseAddress { addresses[base, default: 0] += 1 } }
            buffers.append(frames[0])
            // A copied piece remains, so that the queue is never empty.
            buffers.append(ByteBuffer(repeating: 2, count: 10))
            #expect(buffers.memoryByteCount >= 128 * 1024)
            while buffers.memoryByteCount > 1024, buffers.popFirst() != nil {}
        }
        // Otherwise the test has tested nothing.
        #expect(addresses.values.contains { $0 > 1 })
    }

    @Test func `slices of one buffer count once and are not copied`() throws {
        var buffer = ByteBuffer(repeating: 1, count: 65_536)
        var buffers = BodyBuffers(sliceLimit: Self.sliceLimit)
        for _ in 0..<4 {
            let slice = buffer.readSlice(length: 16_384)
            buffers.append(try #require(slice))
        }
        #expect(buffers.memoryByteCount < 66_000)
        for _ in 0..<4 {
            let first = buffers.popFirst()
            #expect(first?.readableBytes == 16_384)
        }
        #expect(buffers.memoryByteCount == 0)
    }
}
