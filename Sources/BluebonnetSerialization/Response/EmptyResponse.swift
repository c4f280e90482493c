// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A type with a value for an empty response.
///
/// For optionals it is nil. Conform your own types if they have a meaningful value for an empty response.
public protocol EmptyResponse {
    /// The value for an empty body.
    static var emptyValue: Self { get }
}

/// A value without content, for responses whose body is empty or irrelevant.
public struct EmptyBody: Sendable, Hashable, Codable, EmptyResponse {
    /// Creates the value.
    public init() {}

    /// Decodes a document with any content, which is ignored.
    public init(from decoder: any Decoder) throws {}

    private enum Key: CodingKey {}

    /// Encodes an object without members.
    public func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Key.self) }

    public static var emptyValue: EmptyBody { EmptyBody() }
}

extension Optional: EmptyResponse {
    public static var emptyValue: Wrapped? { nil }
}
