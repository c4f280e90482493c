// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How the body of a response is split into lines, and how they are decoded.
public struct LineOptions: Sendable, Hashable {
    /// The line ends.
    public enum Ending: Sendable, Hashable {
        /// LF or CR LF. A CR without a LF belongs to its line.
        case lineFeed
        /// LF, CR LF or CR.
        case any
    }

    /// How bytes that are not UTF-8 are handled.
    public enum InvalidText: Sendable, Hashable {
        /// Each maximal subpart of an ill-formed sequence becomes U+FFFD, as in the WHATWG Encoding standard.
        case replaced
        /// The line is an error with ``SessionError/Code/serializationFailed``.
        case refused
    }

    /// The largest number of bytes in a line, without its end; nil, the default, for ``StreamLimits/lineByteCount``.
    ///
    /// A longer line is an error with ``SessionError/Code/limitExceeded``. Limits above 4 GiB minus three bytes are
    /// reduced to that.
    public var lineByteCount: Int?

    /// The line ends: LF or CR LF unless set.
    public var ending: Ending

    /// How bytes that are not UTF-8 are handled: replaced unless set.
    public var invalidText: InvalidText

    /// Creates options.
    ///
    /// - Parameters:
    ///   - lineByteCount: The largest number of bytes in a line.
    ///   - ending: The line ends.
    ///   - invalidText: How bytes that are not UTF-8 are handled.
    public init(
        lineByteCount: Int? = nil,
        ending: Ending = .lineFeed,
        invalidText: InvalidText = .replaced
    ) {
        self.lineByteCount = lineByteCount
        self.ending = ending
        self.invalidText = invalidText
    }

    /// Makes the splitter for the body of a response.
    func splitter(_ limits: StreamLimits = StreamLimits()) -> StreamSplitter {
        let limit = self.lineByteCount ?? limits.lineByteCount
        return StreamSplitter(at: self.ending == .any ? .anyLineEnd : .lineFeed, limit: limit)
    }
}
