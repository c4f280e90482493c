// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The limits beyond which a document is refused.
///
/// Every parser of the library enforces them. A document that exceeds one fails with code `limitExceeded`; it never
/// exhausts the memory or the stack.
///
/// ### Depth and the stack
///
/// The parsers of the library, and the encoders of queries, forms and request bodies, do not recurse. Some operations
/// on their values do: deinitialization, comparison, hashing, encoding a ``JSONValue`` or ``ParsedXML`` as text, and
/// everything that uses `Codable`, including Foundation's decoders. ``defaultDepth`` was chosen by measurement, so that
/// each of these fits into a stack of 512 KiB, the size that your own threads may have. In a debug build such a stack
/// is enough for 220 levels with Foundation's `JSONEncoder` or `JSONDecoder` on a ``JSONValue``, for 330 levels of a
/// recursive `Decodable` type, for 250 levels when ``ParsedXML`` is compared, and for 2,300 levels when a value is
/// deinitialized. A release build needs less. Before you raise the depth, make sure that the threads that use the
/// values have enough stack.
public struct ParsingLimits: Sendable, Hashable, Codable {
    /// The default depth: 128 levels.
    public static let defaultDepth = 128

    /// The largest effective depth: 1,024 levels.
    ///
    /// Deinitializing a value of that depth takes less than half of a stack of 512 KiB.
    public static let maximumDepth = 1_024

    /// The maximum size of the document in bytes; 64 MiB unless set.
    public var byteCount: Int

    /// The maximum nesting of containers; ``defaultDepth`` unless set, never more than ``maximumDepth``.
    public var depth: Int

    /// The maximum number of values in the document, including containers; 4,000,000 unless set.
    ///
    /// In XML, each element, attribute, run of text, comment and instruction counts. In a binary property list, a value
    /// and the bytes of texts and data count once per reference.
    public var elementCount: Int

    /// The maximum number of attributes of an XML element, and of namespace declarations in scope; 256 unless set.
    ///
    /// Foundation's `XMLParser` compares each attribute with the others of its element, and searches the declarations
    /// in scope for each prefix. This limit keeps its time proportional to the size of the document.
    public var attributeCount: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - byteCount: The maximum size of the document in bytes.
    ///   - depth: The maximum nesting of containers.
    ///   - elementCount: The maximum number of values.
    ///   - attributeCount: The maximum number of attributes of an XML element, and of namespace declarations in scope.
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
                "the \(format) document has \(byteCount) bytes, the limit is \(self.byteCount); raise ParsingLimits.byteCount to read it"
        )
    }
}
