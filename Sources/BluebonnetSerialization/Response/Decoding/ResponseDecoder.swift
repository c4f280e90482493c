// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Decodes `Decodable` values from JSON: the counterpart of ``ParameterEncoder``.
///
/// With the defaults of both, a value that a ``JSONRequestSerializer`` encodes is decoded to the same value: dates with
/// their fractions of a second, data, and every number.
///
/// ```swift
/// var decoder = ResponseDecoder()
/// decoder.keys = .snakeCase
/// let user = try decoder.decode(User.self, from: Data(#"{"first_name":"Ada"}"#.utf8))
/// ```
///
/// If a name occurs twice in an object, the last value counts, as for ``JSONParser``. Two names that differ only in their
/// Unicode form, such as `é` as one character and as a letter with a combining accent, are refused, because types and
/// dictionaries do not distinguish them.
public struct ResponseDecoder: DataDecoder {
    struct Strategies: Sendable {
        var keys = KeyStrategy.unchanged
        var dates = DateStrategy.iso8601
        var data = DataStrategy.base64
        var floats = FloatStrategy.finite
        var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    }

    /// Shared between copies, because creating a decoder costs more than decoding a small document.
    private final class Storage: Sendable {
        let strategies: Strategies
        let decoder: JSONDecoder

        init(_ strategies: Strategies) {
            self.strategies = strategies
            self.decoder = JSONDecoder(strategies)
        }

        static let standard = Storage(Strategies())
    }

    private var storage = Storage.standard

    /// How the keys of an object are converted: not at all unless changed.
    ///
    /// The keys of a dictionary with string keys are data and are never converted. Foundation's decoder converts the keys
    /// of a dictionary with `CodingKeyRepresentable` keys as it does those of a type.
    public var keys: KeyStrategy {
        get { self.storage.strategies.keys }
        set { self.change { $0.keys = newValue } }
    }

    /// How a `Date` is decoded: from ISO 8601 text unless changed.
    public var dates: DateStrategy {
        get { self.storage.strategies.dates }
        set { self.change { $0.dates = newValue } }
    }

    /// How `Data` is decoded: from base64 text unless changed.
    public var data: DataStrategy {
        get { self.storage.strategies.data }
        set { self.change { $0.data = newValue } }
    }

    /// How numbers that are not finite are decoded: not at all unless changed.
    public var floats: FloatStrategy {
        get { self.storage.strategies.floats }
        set { self.change { $0.floats = newValue } }
    }

    /// Values that the decoded types can read.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { self.storage.strategies.userInfo }
        set { self.change { $0.userInfo = newValue } }
    }

    /// Creates a decoder for the output of a default ``ParameterEncoder``.
    public init() {}

    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: The value's type.
    ///   - data: A JSON document in UTF-8, UTF-16 or UTF-32.
    /// - Returns: The value.
    /// - Throws: `DecodingError` with the coding path.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let document: Data
        do {
            document = try DecodableDocument.make(of: data, limits: Self.limits)
        } catch {
            let path = error.codingPath.map { NameKey($0) }
            let context = DecodingError.Context(
                codingPath: path,
                debugDescription: error.reason,
                underlyingError: error
            )
            throw DecodingError.dataCorrupted(context)
        }
        return try self.decode(type, unambiguous: document)
    }

    /// Decodes a value from a document without repeated names.
    func decode<Value: Decodable>(_ type: Value.Type, unambiguous document: Data) throws -> Value {
        try self.storage.decoder.decode(type, from: document)
    }

    // A serializer has limits of its own, and Foundation's decoder has one of 512 levels.
    private static let limits = ParsingLimits(byteCount: .max, depth: ParsingLimits.maximumDepth, elementCount: .max)

    private mutating func change(_ body: (inout Strategies) -> Void) {
        var strategies = self.storage.strategies
        body(&strategies)
        self.storage = Storage(strategies)
    }
}

extension JSONDecoder {
    /// Creates Foundation's decoder with the library's strategies.
    fileprivate convenience init(_ strategies: ResponseDecoder.Strategies) {
        self.init()
        self.keyDecodingStrategy = strategies.keys.foundation
        self.dateDecodingStrategy = strategies.dates.foundation
        self.dataDecodingStrategy = strategies.data.foundation
        self.nonConformingFloatDecodingStrategy = strategies.floats.foundation
        self.userInfo = strategies.userInfo
    }
}
