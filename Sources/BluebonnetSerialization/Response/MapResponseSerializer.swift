// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Converts the output of another serializer.
///
/// It is not `Codable`, because a closure cannot be archived.
public struct MapResponseSerializer<Base: ResponseSerializer, Output: Sendable>: ResponseSerializer {
    private let base: Base
    private let transform: @Sendable (Base.Output) throws -> Output

    init(base: Base, transform: @escaping @Sendable (Base.Output) throws -> Output) {
        self.base = base
        self.transform = transform
    }

    public var acceptableContentTypes: Set<String>? { self.base.acceptableContentTypes }

    public var isCostly: Bool { self.base.isCostly }

    public func decoding(with decoder: ResponseDecoder) -> Self {
        Self(base: self.base.decoding(with: decoder), transform: self.transform)
    }

    public func serialize(_ response: Response) throws(SerializationError) -> Output {
        let value = try self.base.serialize(response)
        do {
            return try self.transform(value)
        } catch let error as SerializationError {
            throw error.response == nil ? error.about(response) : error
        } catch {
            throw SerializationError(
                .decodingFailed,
                reason: "the conversion of the serializer's output failed with an error of type \(type(of: error))",
                underlying: error,
                response: response
            )
        }
    }
}

extension ResponseSerializer {
    /// Converts the output of this serializer.
    ///
    /// A closure behind a serializer that is written with a dot says that it is `@Sendable`, because the compiler does
    /// not infer it there: `.string.map { @Sendable in $0.count }`. A key path needs nothing: `.string.map(\.count)`.
    ///
    /// - Parameter transform: The conversion; an error that it throws becomes a ``SerializationError`` with code
    ///   `decodingFailed` unless it is one.
    /// - Returns: The serializer.
    public func map<NewOutput: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> NewOutput
    ) -> MapResponseSerializer<Self, NewOutput> {
        MapResponseSerializer(base: self, transform: transform)
    }
}
