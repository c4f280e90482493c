// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Writes parameters as a property list into the body.
///
/// Methods that put parameters into the URL still do. Without parameters there is neither a body nor a Content-Type. A property list has
/// no null, and its XML form no control characters but tab and line breaks: parameters with one of these are an error.
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
        try PropertyListParameters.check(parameters, for: self.format, depth: 1)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = self.format == .xml ? .xml : .binary
        do {
            let document = try encoder.encode(PropertyListParameters(parameters))
            return .data(self.format == .xml ? Self.keepingCarriageReturns(in: document) : document)
        } catch {
            throw SerializationError(
                .unencodableValue,
                reason: "The parameters cannot be written as a property list.",
                underlying: error
            )
        }
    }

    /// The document with references for carriage returns, which whoever reads XML takes for line feeds otherwise (XML 1.0 section 2.11).
    private static func keepingCarriageReturns(in document: Data) -> Data {
        guard document.contains(0x0D) else { return document }
        return Data(document.split(separator: 0x0D, omittingEmptySubsequences: false).joined(separator: "&#13;".utf8))
    }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
    /// Property lists in XML, with the standard header fields.
    public static var propertyList: Self { Self() }
}

/// Hands parameters to Foundation's encoder in the types that a property list knows.
private struct PropertyListParameters: Encodable {
    let value: ParameterValue

    init(_ value: ParameterValue) {
        self.value = value
    }

    /// Refuses what a property list cannot hold, with the path that leads there.
    static func check(
        _ value: ParameterValue,
        for format: PropertyListRequestSerializer.Format,
        depth: Int
    ) throws(SerializationError) {
        guard depth <= 512 else {
            throw SerializationError(.limitExceeded, reason: "The parameters are nested more than 512 levels deep.")
        }
        switch value {
        case .null:
            throw SerializationError(.unencodableValue, reason: "A property list has no null; leave the key out.")
        case .string(let text):
            try Self.check(text, for: format)
        case .array(let values):
            for (index, value) in values.enumerated() {
                try Self.check(value, for: format, depth: depth, key: String(index))
            }
        case .set(let values):
            for value in values { try Self.check(value, for: format, depth: depth, key: "set") }
        case .dictionary(let values):
            for (key, value) in values {
                try Self.check(key, for: format)
                try Self.check(value, for: format, depth: depth, key: key)
            }
        default:
            break
        }
    }

    /// Foundation writes every character as it is, also those that XML has not (XML 1.0 section 2.2).
    private static func check(
        _ text: String,
        for format: PropertyListRequestSerializer.Format
    ) throws(SerializationError) {
        guard format == .xml else { return }
        let isLegal = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...: true
            default: false
            }
        }
        guard isLegal else {
            throw SerializationError(
                .unencodableValue,
                reason: "The text has a control character, which XML cannot hold; the binary format can."
            )
        }
    }

    private static func check(
        _ value: ParameterValue,
        for format: PropertyListRequestSerializer.Format,
        depth: Int,
        key: String
    ) throws(SerializationError) {
        do throws(SerializationError) {
            try Self.check(value, for: format, depth: depth + 1)
        } catch {
            throw error.inside(key)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self.value {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .array(let values): try container.encode(values.map(Self.init))
        case .set(let values): try container.encode(ParameterValue.sorted(values, maximumDepth: 512).map(Self.init))
        case .dictionary(let values): try container.encode(values.mapValues(Self.init))
        }
    }
}
