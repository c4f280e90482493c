// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Encodes parameters as a property list in the body.
///
/// The root may be of any kind but null. Keys are sorted by their UTF-8 bytes in both formats, so the same parameters
/// give the same bytes.
///
/// A property list cannot represent null. Its XML form cannot represent control characters other than tab and line
/// breaks, dates outside the years 0 to 9999, or fractions of a second. Parameters that the format cannot represent are
/// an error with their coding path.
///
/// Methods that encode parameters in the URL still do so. Without parameters there is neither a body nor a
/// Content-Type.
public struct PropertyListRequestSerializer: DocumentRequestSerializer, Equatable, Codable {
    /// The format of a property list.
    public enum Format: String, Sendable, Hashable, Codable, CaseIterable {
        /// XML 1.0.
        case xml
        /// Apple's binary format, version 1.0.
        case binary
    }

    public var base: HTTPRequestSerializer

    /// The format: XML unless changed.
    public var format: Format

    /// The maximum nesting of arrays, sets and dictionaries: 128 levels unless changed.
    ///
    /// Deeper parameters are an error. Values above ``ParsingLimits/maximumDepth`` have no effect.
    public var maximumDepth = ParsingLimits.defaultDepth

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - format: The format, XML unless given.
    ///   - base: The serializer that sets header fields and options, and encodes queries.
    public init(format: Format = .xml, base: HTTPRequestSerializer = HTTPRequestSerializer()) {
        self.format = format
        self.base = base
    }

    public var contentType: String { "application/x-plist" }

    public func body(from parameters: ParameterValue) throws(SerializationError) -> RequestBody {
        .data(try self.document(parameters))
    }

    /// Encodes a document.
    func document(_ parameters: ParameterValue) throws(SerializationError) -> Data {
        let maximumDepth = min(self.maximumDepth, ParsingLimits.maximumDepth)
        switch self.format {
        case .xml:
            var writer = XMLPropertyListWriter(maximumDepth: maximumDepth)
            return try writer.write(parameters)
        case .binary:
            var writer = BinaryPropertyListWriter(maximumDepth: maximumDepth)
            return try writer.write(parameters)
        }
    }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
    /// Encodes XML property lists, with the standard header fields.
    public static var propertyList: Self { Self() }
}
