// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

extension Transfer {
    /// The state of a transfer.
    public enum State: String, Sendable, Hashable, Codable {
        /// It starts when the queue has room, and when ``Transfer/nextStart`` has come.
        case waiting
        /// It is under way; after the end of its process it counts as waiting.
        case running
        /// It does not start before it is resumed. Its bytes are kept.
        case paused
        /// It is complete: the file is at its destination, or the server has it.
        case finished
        /// It failed permanently, or too often; ``Transfer/failure`` says why. Its bytes are kept.
        case failed
        /// It was cancelled. Its bytes were removed.
        case cancelled
    }

    /// The order in which waiting transfers start: by descending priority, and the oldest first within one.
    ///
    /// A transfer under way is not interrupted for another one.
    public enum Priority: Int, Sendable, Hashable, Codable, Comparable {
        /// After all others.
        case low = -1
        /// The default.
        case normal = 0
        /// Before all others.
        case high = 1

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The failure of an attempt, as it is kept on the disk.
    public struct Failure: Sendable, Hashable {
        /// The code of the ``SessionError``.
        ///
        /// An unknown code of a later version becomes ``SessionError/Code/transportFailed``.
        public let code: SessionError.Code

        /// The reason, one sentence, of 1,024 bytes at most.
        public let reason: String

        /// The status of the response; nil if there was none.
        public let status: Int?
    }
}

extension Transfer {
    /// The identity of a transfer: 32 hexadecimal digits, which begin with the time when it was added.
    public struct ID: Hashable, Sendable, Comparable, LosslessStringConvertible {
        private let high: UInt64
        private let low: UInt64

        init(bitPattern high: UInt64, _ low: UInt64) {
            (self.high, self.low) = (high, low)
        }

        /// Parses an identity.
        ///
        /// - Parameter description: 32 hexadecimal digits in lower case; the result is nil for anything else.
        public init?(_ description: String) {
            let bytes = Array(description.utf8)
            guard bytes.count == 32, let high = Self.value(bytes[..<16]), let low = Self.value(bytes[16...]) else {
                return nil
            }
            (self.high, self.low) = (high, low)
        }

        /// The 32 digits.
        public var description: String { Hexadecimal.text(self.high) + Hexadecimal.text(self.low) }

        /// Whether a transfer was added before another one, according to the time of day.
        public static func < (left: Self, right: Self) -> Bool {
            (left.high, left.low) < (right.high, right.low)
        }

        private static func value(_ digits: ArraySlice<UInt8>) -> UInt64? {
            var value: UInt64 = 0
            for byte in digits {
                guard let digit = byte.hexadecimalValue, byte == byte.asciiLowercased else { return nil }
                value = value << 4 | UInt64(digit)
            }
            return value
        }
    }
}
