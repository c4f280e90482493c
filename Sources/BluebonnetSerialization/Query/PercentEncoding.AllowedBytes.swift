// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension PercentEncoding {
    /// A set of ASCII bytes that are not percent-encoded.
    ///
    /// It never contains the percent sign, the space, control characters or non-ASCII bytes: otherwise the text could
    /// not be decoded, or the result would not be legal in a URL.
    public struct AllowedBytes: Sendable, Hashable {
        private var low: UInt64 = 0
        private var high: UInt64 = 0

        /// Creates a set.
        ///
        /// - Parameter characters: The bytes in it; percent signs, spaces, controls and non-ASCII characters are ignored.
        public init(_ characters: String) {
            for byte in characters.utf8 { self.insert(byte) }
        }

        /// Letters, digits and `-._~/?`: the bytes that AFNetworking and Alamofire leave unescaped in a query (RFC 3986
        /// section 3.4 without the delimiters that may have a meaning for a server).
        public static let query = Self.unreserved.union(Self("/?"))

        /// Letters, digits and `-._~` (RFC 3986 section 2.3).
        public static let unreserved = Self("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

        /// Returns the union with another set.
        ///
        /// - Parameter other: The other set.
        /// - Returns: The bytes in either set.
        public func union(_ other: Self) -> Self {
            var result = self
            result.low |= other.low
            result.high |= other.high
            return result
        }

        /// Returns the difference from another set.
        ///
        /// - Parameter other: The other set.
        /// - Returns: The bytes in this set only.
        public func subtracting(_ other: Self) -> Self {
            var result = self
            result.low &= ~other.low
            result.high &= ~other.high
            return result
        }

        /// Whether a byte is left unescaped.
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
    /// Decodes the set from its characters.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.characters)
    }
}
