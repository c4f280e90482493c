// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Tries several serializers in order, and returns the output of the first that succeeds.
///
/// Serializers with different outputs are converted to one output type with ``ResponseSerializer/map(_:)``:
///
/// ```swift
/// let serializer = CompoundResponseSerializer<Document>([
///     JSONResponseSerializer().map { Document.json($0) },
///     StringResponseSerializer().map { Document.text($0) },
/// ])
/// ```
///
/// It is not `Codable`, because its serializers are of any type, and a closure in ``ResponseSerializer/map(_:)`` cannot be archived.
public struct CompoundResponseSerializer<Output: Sendable>: ResponseSerializer {
    /// The serializers, in the order in which they are tried.
    public var serializers: [any ResponseSerializer<Output>]

    /// Creates a serializer.
    ///
    /// - Parameter serializers: The serializers, in the order in which they are tried.
    public init(_ serializers: [any ResponseSerializer<Output>]) {
        self.serializers = serializers
    }

    /// The content types that any of the serializers reads; nil if one of them reads any type.
    public var acceptableContentTypes: Set<String>? {
        var all = Set<String>()
        for serializer in self.serializers {
            guard let types = serializer.acceptableContentTypes else { return nil }
            all.formUnion(types)
        }
        return self.serializers.isEmpty ? nil : all
    }

    public var isCostly: Bool { self.serializers.contains { $0.isCostly } }

    public func decoding(with decoder: ResponseDecoder) -> Self {
        Self(self.serializers.map { Self.decoding($0, with: decoder) })
    }

    private static func decoding(
        _ serializer: some ResponseSerializer<Output>,
        with decoder: ResponseDecoder
    ) -> any ResponseSerializer<Output> {
        serializer.decoding(with: decoder)
    }

    /// Serializes a response.
    ///
    /// - Parameter response: The response.
    /// - Returns: The output of the first serializer that succeeds.
    /// - Throws: ``SerializationError`` with code `noSerializerSucceeded`; the reason lists why each serializer
    ///   refused, and `underlying` is the error of the first one that accepted the content type, otherwise of the last
    ///   one.
    public func serialize(_ response: Response) throws(SerializationError) -> Output {
        var refusals: [(name: String, error: SerializationError)] = []
        for serializer in self.serializers {
            do {
                return try serializer.serialize(response)
            } catch {
                refusals.append((Self.name(of: serializer), error))
            }
        }
        let list = refusals.enumerated().map { "\($0.offset + 1). \($0.element.name): \($0.element.error.description)" }
        let closest = refusals.first { !$0.error.contains(.unacceptableContentType) } ?? refusals.last
        throw SerializationError(
            .noSerializerSucceeded,
            reason: refusals.isEmpty
                ? "there is no serializer to try" : "no serializer took the response: \(list.joined(separator: "; "))",
            underlying: closest?.error,
            response: response
        )
    }

    /// Returns the serializer's type without its generic arguments.
    private static func name(of serializer: any ResponseSerializer<Output>) -> String {
        String(Substring("\(type(of: serializer))".utf8.prefix { $0 != UInt8(ascii: "<") }))
    }
}
