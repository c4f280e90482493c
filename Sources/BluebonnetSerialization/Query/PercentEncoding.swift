// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Percent-encoding (RFC 3986 section 2.1) of UTF-8.
///
/// Text is processed byte by byte, so its length, emoji and combining marks make no difference.
public enum PercentEncoding {
    /// Replaces every byte outside a set by `%` and two upper-case hexadecimal digits.
    ///
    /// A percent sign is always replaced, so text that is already escaped is escaped again.
    ///
    /// ```swift
    /// let text = PercentEncoding.escape("rock & roll/€")  // "rock%20%26%20roll/%E2%82%AC"
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - allowed: The bytes left unescaped: ``AllowedBytes/query`` unless given.
    ///   - space: How a space is encoded: `%20` unless given.
    /// - Returns: ASCII text.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func escape(
        _ text: some StringProtocol,
        allowed: AllowedBytes = .query,
        space: SpaceEncoding = .percent
    ) -> String {
        let table = allowed.table(space: space)
        return Self.withBytes(of: text) { bytes in
            let byteCount = table.escapedByteCount(of: bytes)
            return String(unsafeUninitializedCapacity: byteCount) { output in
                table.escape(bytes, into: output, exactByteCount: byteCount)
            }
        }
    }

    /// Replaces every `%` with two hexadecimal digits, of either case, by the byte it encodes.
    ///
    /// - Parameters:
    ///   - text: The escaped text.
    ///   - plusIsSpace: Whether `+` is decoded as a space, as in HTML forms: no unless given.
    /// - Returns: The text.
    /// - Throws: ``SerializationError/Code/malformedEscape`` if a percent sign is not followed by two hexadecimal digits, or if the bytes
    ///   are not UTF-8.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func unescape(
        _ text: some StringProtocol,
        plusIsSpace: Bool = false
    ) throws(SerializationError) -> String {
        do throws(PercentDecoding.Fault) {
            return try PercentDecoding.decode(text, plusIsSpace: plusIsSpace)
        } catch {
            throw SerializationError(.malformedEscape, reason: Self.reason(of: error))
        }
    }

    /// How a space is encoded.
    public enum SpaceEncoding: String, Sendable, Hashable, Codable, CaseIterable {
        /// As `%20`.
        case percent
        /// As `+`; a plus sign in the text is always `%2B`, even if it is one of the ``AllowedBytes``.
        case plus
    }

    private static func reason(of fault: PercentDecoding.Fault) -> String {
        switch fault {
        case .escape(let position):
            "the percent sign at byte \(position) is not followed by two hexadecimal digits"
        case .encoding:
            "the unescaped bytes are not UTF-8"
        }
    }

    private static func withBytes<Result>(
        of text: some StringProtocol,
        _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(text.utf8).withUnsafeBufferPointer(body)
    }
}
