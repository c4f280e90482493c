// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension PropertyListValue {
    /// Encodes the value as a property list.
    ///
    /// The keys of dictionaries are sorted by their UTF-8 bytes, so that equal values give equal bytes.
    ///
    /// - Parameter format: The format, XML unless given.
    /// - Returns: The document.
    /// - Throws: ``SerializationError/Code/unencodableValue`` with the coding path for a ``uid(_:)``, which only an
    ///   archiver writes, and for what XML cannot represent: control characters other than tab and line breaks, dates
    ///   outside the years 0 to 9999, or fractions of a second; ``SerializationError/Code/limitExceeded`` beyond
    ///   ``ParsingLimits/maximumDepth`` levels.
    public func serialized(
        format: PropertyListRequestSerializer.Format = .xml
    ) throws(SerializationError) -> Data {
        var serializer = PropertyListRequestSerializer(format: format)
        serializer.maximumDepth = ParsingLimits.maximumDepth
        return try serializer.document(try self.parameters(depth: 1))
    }

    private func parameters(depth: Int) throws(SerializationError) -> ParameterValue {
        switch self {
        case .bool(let value): return .bool(value)
        case .integer(let value): return .int(value)
        case .unsigned(let value): return .unsigned(value)
        case .real(let value): return .double(value)
        case .string(let value): return .string(value)
        case .data(let value): return .data(value)
        case .date(let value): return .date(value)
        case .uid:
            throw SerializationError(.unencodableValue, reason: "the index of an archive cannot be encoded")
        case .array(let elements):
            try Self.check(depth)
            var values: [ParameterValue] = []
            for (index, element) in elements.enumerated() {
                values.append(try element.parameters(depth: depth + 1, at: String(index)))
            }
            return .array(values)
        case .dictionary(let entries):
            try Self.check(depth)
            var values: [String: ParameterValue] = [:]
            for (key, entry) in entries { values[key] = try entry.parameters(depth: depth + 1, at: key) }
            return .dictionary(values)
        }
    }

    private func parameters(depth: Int, at key: String) throws(SerializationError) -> ParameterValue {
        do throws(SerializationError) {
            return try self.parameters(depth: depth)
        } catch {
            throw error.inside(key)
        }
    }

    private static func check(_ depth: Int) throws(SerializationError) {
        guard depth <= ParsingLimits.maximumDepth else {
            throw SerializationError(
                .limitExceeded,
                reason: "the property list is nested more than \(ParsingLimits.maximumDepth) levels deep"
            )
        }
    }
}

extension PropertyListValue: CustomStringConvertible {
    /// The value as XML text; the reason if XML cannot represent it.
    public var description: String {
        do {
            return String(decoding: try self.serialized(), as: UTF8.self)
        } catch {
            return "PropertyListValue(\(error.reason))"
        }
    }
}
