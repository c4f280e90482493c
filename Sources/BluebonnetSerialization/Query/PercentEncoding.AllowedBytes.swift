// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension PercentEncoding {
    /// A set of ASCII bytes that percent-encoding leaves alone.
    ///
    /// The percent sign, the space, controls and everything above ASCII are never in it: text could not be unescaped, or the result
    /// would not be legal in a URL.
    public struct AllowedBytes: Sendable, Hashable {
        private var low: UInt64 = 0
        private var high: UInt64 = 0

        /// Creates a set.
        ///
        /// - Parameter characters: The bytes in it; percent signs, spaces, controls and non-ASCII characters are ignored.
        public init(_ characters: String) {
            for byte in characters.utf8 { self.insert(byte) }
        }

        /// Letters, digits and `-._~/?`: what AFNetworking and Alamofire leave alone in a query (RFC 3986 section 3.4 without the
        /// delimiters that a server may give a meaning).
        public static let query = Self.unreserved.union(Self("/?"))

        /// Letters, digits and `-._~` (RFC 3986 section 2.3).
        public static let unreserved = Self("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

        /// Adds the bytes of another set.
        ///
        /// - Parameter other: The other set.
        /// - Returns: The bytes in either.
        public func union(_ other: Self) -> Self {
            var result = self
            result.low |= other.low
            result.high |= other.high
            return result
        }

        /// Removes the bytes of another set.
        ///
        /// - Parameter other: The other set.
        /// - Returns: The bytes that are only in this one.
        public func subtracting(_ other: Self) -> Self {
            var result = self
            result.low &= ~other.low
            result.high &= ~other.high
            return result
        }

        /// Whether a byte is left alone.
        ///
        /// - Parameter byte: The byte.
        /// - Returns: Whether it is in the set.
        public func contains(_ byte: UInt8) -> Bool {
            byte < 128 && (byte < 64 ? self.low >> byte : self.high >> (byte - 64)) & 1 == 1
        }

        private mutating func insert(_ byte: UInt8) {
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") else { return }
            if byte < 64 { self.low |= 1 << byte } else { self.high |= 1 << (byte - 64) }
        }

        /// The bytes in ascending order, as text.
        public var characters: String {
            String(decoding: (0..<128).map { UInt8($0) }.filter { self.contains($0) }, as: UTF8.self)
        }
    }
}

extension PercentEncoding.AllowedBytes: Codable {
    /// Reads the set from its characters.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.characters)
    }
}
