// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Writes parameters as a property list into the body.
///
/// The root may be of any kind but null. Keys are sorted by their UTF-8 bytes in both formats, so the same parameters give the same bytes.
///
/// A property list has no null, and its XML form has no control characters but tab and line breaks and no dates outside the years 0 to
/// 9999; dates in XML have no fractions of a second. Parameters that the format cannot hold are an error with their coding path.
///
/// Methods that put parameters into the URL still do. Without parameters there is neither a body nor a Content-Type.
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

    /// How deep arrays, sets and dictionaries may be nested: 128 levels unless changed.
    ///
    /// Deeper parameters are an error. More than ``ParsingLimits/maximumDepth`` has no effect.
    public var maximumDepth = ParsingLimits.defaultDepth

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - format: The format, XML unless given.
    ///   - base: What sets header fields and options, and writes queries.
    public init(format: Format = .xml, base: HTTPRequestSerializer = HTTPRequestSerializer()) {
        self.format = format
        self.base = base
    }

    public var contentType: String { "application/x-plist" }

    public func body(from parameters: ParameterValue) throws(SerializationError) -> RequestBody {
        let maximumDepth = min(self.maximumDepth, ParsingLimits.maximumDepth)
        switch self.format {
        case .xml:
            var writer = XMLPropertyListWriter(maximumDepth: maximumDepth)
            return .data(try writer.write(parameters))
        case .binary:
            var writer = BinaryPropertyListWriter(maximumDepth: maximumDepth)
            return .data(try writer.write(parameters))
        }
    }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
    /// Property lists in XML, with the standard header fields.
    public static var propertyList: Self { Self() }
}
