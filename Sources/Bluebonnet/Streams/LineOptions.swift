// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How the body of a response is cut into lines, and how they become text.
public struct LineOptions: Sendable, Hashable {
    /// What ends a line.
    public enum Ending: Sendable, Hashable {
        /// LF or CR LF. A CR that stands alone belongs to its line.
        case lineFeed
        /// LF, CR LF or CR.
        case any
    }

    /// What becomes of bytes that are not UTF-8.
    public enum InvalidText: Sendable, Hashable {
        /// Each maximal part of an ill-formed sequence becomes U+FFFD, as in the WHATWG Encoding standard.
        case replaced
        /// The line is an error with ``SessionError/Code/serializationFailed``.
        case refused
    }

    /// The largest number of bytes in a line, its end not counted; nil, the default, for ``StreamLimits/lineByteCount``.
    ///
    /// A longer line is an error with ``SessionError/Code/limitExceeded``. More than 4 GiB less three bytes count as that.
    public var byteCount: Int?

    /// What ends a line: LF or CR LF unless set.
    public var ending: Ending

    /// What becomes of bytes that are not UTF-8: replaced unless set.
    public var invalidText: InvalidText

    /// Creates options.
    ///
    /// - Parameters:
    ///   - byteCount: The largest number of bytes in a line.
    ///   - ending: What ends a line.
    ///   - invalidText: What becomes of bytes that are not UTF-8.
    public init(
        byteCount: Int? = nil,
        ending: Ending = .lineFeed,
        invalidText: InvalidText = .replaced
    ) {
        self.byteCount = byteCount
        self.ending = ending
        self.invalidText = invalidText
    }

    /// What cuts the body of a response into lines.
    func splitter(_ limits: StreamLimits = StreamLimits()) -> StreamSplitter {
        let limit = self.byteCount ?? limits.lineByteCount
        return StreamSplitter(at: self.ending == .any ? .anyLineEnd : .lineFeed, limit: limit)
    }
}
