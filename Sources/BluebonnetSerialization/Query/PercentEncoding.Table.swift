// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension PercentEncoding {
    /// The escaped form of each of the 256 bytes, ready to be stored with one four-byte write.
    ///
    /// An entry holds up to three output bytes from its lowest byte up, and their number (1 or 3) in its highest byte.
    /// Looking up, storing and advancing needs no branch, so text in mixed scripts costs the same as any other.
    final class Table: Sendable {
        private let entries: [UInt32]

        /// How a space is encoded; needed to decode.
        let space: SpaceEncoding

        /// Leaves every byte unescaped.
        static let identity: Table = Table(allowed: { _ in true }, space: .percent)

        /// The default: ``AllowedBytes/query`` with `%20`.
        static let query = Table(allowed: { AllowedBytes.query.contains($0) }, space: .percent)

        /// Form style: ``AllowedBytes/query`` with `+`.
        static let queryWithPlus = Table(allowed: { AllowedBytes.query.contains($0) }, space: .plus)

        init(allowed: (UInt8) -> Bool, space: SpaceEncoding) {
            let digits = Array("0123456789ABCDEF".utf8)
            self.space = space
            self.entries = (0..<256).map { index in
                let byte = UInt8(index)
                if space == .plus, byte == UInt8(ascii: " ") { return UInt32(UInt8(ascii: "+")) | 1 << 24 }
                // An unescaped plus sign would be read as a space.
                let isAmbiguous = space == .plus && byte == UInt8(ascii: "+")
                if allowed(byte), !isAmbiguous { return UInt32(byte) | 1 << 24 }
                let high = UInt32(digits[index >> 4]) << 8
                let low = UInt32(digits[index & 15]) << 16
                return UInt32(UInt8(ascii: "%")) | high | low | 3 << 24
            }
        }

        /// Returns the entry of one byte.
        func entry(for byte: UInt8) -> UInt32 { self.entries[Int(byte)] }

        /// Unescapes text that this table escaped.
        func unescape(_ text: String) throws(SerializationError) -> String {
            self === Self.identity ? text : try PercentEncoding.unescape(text, plusIsSpace: self.space == .plus)
        }

        /// Returns the number of bytes that ``escape(_:into:exactByteCount:)`` will write.
        func escapedByteCount(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
            self.entries.withUnsafeBufferPointer { entries in
                var count = 0
                for byte in bytes { count &+= Int(entries[Int(byte)] >> 24) }
                return count
            }
        }

        /// Writes the escaped form of some bytes.
        ///
        /// - Parameters:
        ///   - bytes: The bytes to escape.
        ///   - output: The destination; at least `exactByteCount` bytes.
        ///   - exactByteCount: The result of ``escapedByteCount(of:)``.
        /// - Returns: The number of bytes written.
        func escape(
            _ bytes: UnsafeBufferPointer<UInt8>,
            into output: UnsafeMutableBufferPointer<UInt8>,
            exactByteCount: Int
        ) -> Int {
            guard let start = output.baseAddress, exactByteCount > 0 else { return 0 }
            // The four-byte store writes past the last byte of its entry; the final bytes of the output are therefore written one by one.
            var tail = bytes.count
            var tailByteCount = 0
            return self.entries.withUnsafeBufferPointer { entries in
                while tail > 0, tailByteCount < 4 {
                    tail -= 1
                    tailByteCount &+= Int(entries[Int(bytes[tail])] >> 24)
                }
                var cursor = UnsafeMutableRawPointer(start)
                for index in 0..<tail {
                    let entry = entries[Int(bytes[index])]
                    cursor.storeBytes(of: entry.littleEndian, as: UInt32.self)
                    cursor += Int(entry >> 24)
                }
                for index in tail..<bytes.count {
                    var entry = entries[Int(bytes[index])]
                    for _ in 0..<(entry >> 24) {
                        cursor.storeBytes(of: UInt8(truncatingIfNeeded: entry), as: UInt8.self)
                        entry >>= 8
                        cursor += 1
                    }
                }
                return exactByteCount
            }
        }

        /// Writes the escaped form of some bytes to a destination with room for three times their number plus four.
        ///
        /// - Returns: The number of bytes written.
        @inline(__always)
        func escape(_ bytes: UnsafeBufferPointer<UInt8>, intoRoomy start: UnsafeMutablePointer<UInt8>) -> Int {
            self.entries.withUnsafeBufferPointer { entries in
                var cursor = UnsafeMutableRawPointer(start)
                for byte in bytes {
                    let entry = entries[Int(byte)]
                    cursor.storeBytes(of: entry.littleEndian, as: UInt32.self)
                    cursor += Int(entry >> 24)
                }
                return cursor - UnsafeMutableRawPointer(start)
            }
        }
    }
}

extension PercentEncoding.AllowedBytes {
    func table(space: PercentEncoding.SpaceEncoding) -> PercentEncoding.Table {
        if self == .query { return space == .percent ? .query : .queryWithPlus }
        return PercentEncoding.Table(allowed: { self.contains($0) }, space: space)
    }
}
