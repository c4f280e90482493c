// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import NIOCore

extension TransportBody {
    /// A body that is read in odd pieces.
    static func pieces(of bytes: ByteBuffer, length: Int64?) -> TransportBody {
        .reader(length: length, isReplayable: true) { PieceReader(bytes: bytes) }
    }

    /// A body that never ends.
    static var endless: TransportBody {
        .reader(length: nil, isReplayable: true) { EndlessReader() }
    }

    private struct PieceReader: TransportBodyReader {
        var bytes: ByteBuffer

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let count = Swift.min(self.bytes.readableBytes, buffer.count, 10_007)
            self.bytes.readWithUnsafeReadableBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
                return count
            }
            return count
        }
    }

    private struct EndlessReader: TransportBodyReader {
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            buffer.initializeMemory(as: UInt8.self, repeating: 7)
            return buffer.count
        }
    }
}
