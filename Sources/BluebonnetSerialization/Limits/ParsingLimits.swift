// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The limits beyond which a document is refused.
///
/// Every parser of the library checks them. A document that exceeds one is an error with code `limitExceeded`; it never
/// exhausts the memory or the stack.
///
/// ### Depth and the stack
///
/// The parsers of the library, and the writers of queries, forms and request bodies, do not recurse. Some operations on
/// their values do: destroying, comparing, hashing, writing a ``JSONValue`` or ``ParsedXML`` as text, and everything that
/// goes through `Codable`, Foundation's decoders included. ``defaultDepth`` is set by measurement, so that each of these
/// fits into a stack of 512 KiB, which a thread of your own may have. In a debug build such a stack is enough for 220
/// levels with Foundation's `JSONEncoder` or `JSONDecoder` on a ``JSONValue``, for 330 levels of a recursive `Decodable`
/// type, for 250 levels when ``ParsedXML`` is compared, and for 2,300 levels when a value is destroyed. A release build
/// needs less. Before you raise the depth, make sure that the threads that use the values have the stack for it.
public struct ParsingLimits: Sendable, Hashable, Codable {
    /// The depth unless set: 128 levels.
    public static let defaultDepth = 128

    /// The largest depth that has an effect: 1,024 levels.
    ///
    /// Destroying a value of that depth takes less than half of a stack of 512 KiB.
    public static let maximumDepth = 1_024

    /// The size of the document in bytes; 64 MiB unless set.
    public var byteCount: Int

    /// How many containers may be nested; ``defaultDepth`` unless set, never more than ``maximumDepth``.
    public var depth: Int

    /// How many values the document may hold, containers included; 4,000,000 unless set.
    ///
    /// In XML an element counts, and so does an attribute, a run of text, a comment and an instruction.
    /// In a binary property list a value counts as often as it is referred to, and so do the bytes of texts and data.
    public var elementCount: Int

    /// How many attributes an XML element may have, and how many namespace declarations may be in scope; 256 unless set.
    ///
    /// Foundation's `XMLParser` compares each attribute with the others of its element, and searches the declarations in
    /// scope for each prefix. This limit keeps its time proportional to the size of the document.
    public var attributeCount: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the document in bytes.
    ///   - depth: How many containers may be nested.
    ///   - elementCount: How many values the document may hold.
    ///   - attributeCount: How many attributes an XML element may have, and how many namespace declarations may be in scope.
    public init(
        byteCount: Int = 64 << 20,
        depth: Int = Self.defaultDepth,
        elementCount: Int = 4_000_000,
        attributeCount: Int = 256
    ) {
        self.byteCount = byteCount
        self.depth = depth
        self.elementCount = elementCount
        self.attributeCount = attributeCount
    }

    /// The depth that parsers enforce.
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
