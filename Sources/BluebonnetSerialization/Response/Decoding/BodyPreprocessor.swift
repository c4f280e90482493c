// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Changes the body of a response before a serializer reads it; called once per response, from any thread.
public protocol BodyPreprocessor: Sendable {
    /// Changes a body.
    ///
    /// - Parameter body: The received body.
    /// - Returns: The body to deserialize.
    /// - Throws: ``SerializationError`` if the body is invalid.
    func preprocess(_ body: Data) throws(SerializationError) -> Data
}

/// Removes a prefix that servers put before JSON so that other sites cannot run it as a script.
///
/// A body without the prefix is unchanged.
public struct PrefixPreprocessor: BodyPreprocessor, Hashable, Codable {
    /// The bytes to remove.
    public var prefix: Data

    /// Creates a preprocessor.
    ///
    /// - Parameter prefix: The text to remove; `)]}',` and a line feed unless given.
    public init(_ prefix: String = ")]}',\n") {
        self.prefix = Data(prefix.utf8)
    }

    public func preprocess(_ body: Data) throws(SerializationError) -> Data {
        body.starts(with: self.prefix) ? Data(body.dropFirst(self.prefix.count)) : body
    }
}

extension BodyPreprocessor where Self == PrefixPreprocessor {
    /// Removes `)]}',` and a line feed from the front of the body.
    public static var scriptPrefix: PrefixPreprocessor { PrefixPreprocessor() }
}

/// Changes the body with a preprocessor before another serializer validates and deserializes the response.
///
/// It is not `Codable`, because its preprocessor is of any type. ``PrefixPreprocessor`` by itself is.
public struct PreprocessingResponseSerializer<Base: ResponseSerializer>: ResponseSerializer {
    private let base: Base
    private let preprocessor: any BodyPreprocessor

    init(base: Base, preprocessor: any BodyPreprocessor) {
        self.base = base
        self.preprocessor = preprocessor
    }

    public var acceptableContentTypes: Set<String>? { self.base.acceptableContentTypes }

    public var isCostly: Bool { self.base.isCostly }

    public func decoding(with decoder: ResponseDecoder) -> Self {
        Self(base: self.base.decoding(with: decoder), preprocessor: self.preprocessor)
    }

    public func serialize(_ response: Response) throws(SerializationError) -> Base.Output {
        var changed = response
        do {
            changed.body = try self.preprocessor.preprocess(response.body)
        } catch {
            throw error.about(response)
        }
        return try self.base.serialize(changed)
    }
}

extension ResponseSerializer {
    /// Changes the body before this serializer sees the response.
    ///
    /// - Parameter preprocessor: The preprocessor, for example `.scriptPrefix`.
    /// - Returns: The serializer.
    public func preprocessing(_ preprocessor: some BodyPreprocessor) -> PreprocessingResponseSerializer<Self> {
        PreprocessingResponseSerializer(base: self, preprocessor: preprocessor)
    }
}
