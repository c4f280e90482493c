// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What a document may not exceed before it is refused.
///
/// Every parser of the library sits behind one of these; a document that exceeds it is an error with code
/// `limitExceeded`, never an exhausted memory or an overflown stack.
public struct ParsingLimits: Sendable, Hashable, Codable {
    /// The deepest nesting that can be asked for: values nest on the stack when they are compared, written or let go.
    public static let maximumDepth = 2_048

    /// The size of the document in bytes; 64 MiB unless set.
    public var byteCount: Int

    /// How many containers may be open one inside the other; 512 unless set, never more than ``maximumDepth``.
    public var depth: Int

    /// How many values the document may hold, containers included; 4,000,000 unless set.
    ///
    /// In XML an element counts, and so does an attribute, a run of text, a comment and an instruction.
    /// In a binary property list a value counts as often as it is referred to, and so do the bytes of texts and data.
    public var elementCount: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the document in bytes.
    ///   - depth: How many containers may be open one inside the other.
    ///   - elementCount: How many values the document may hold.
    public init(byteCount: Int = 64 << 20, depth: Int = 512, elementCount: Int = 4_000_000) {
        self.byteCount = byteCount
        self.depth = depth
        self.elementCount = elementCount
    }

    /// The depth that parsers keep to.
    var effectiveDepth: Int { min(self.depth, Self.maximumDepth) }

    /// Refuses a document that is too large.
    func check(byteCount: Int, of format: String) throws(SerializationError) {
        guard byteCount > self.byteCount else { return }
        throw SerializationError(
            .limitExceeded,
            reason:
                "The \(format) document has \(byteCount) bytes; the limit is \(self.byteCount). Raise ParsingLimits.byteCount to read it."
        )
    }
}
