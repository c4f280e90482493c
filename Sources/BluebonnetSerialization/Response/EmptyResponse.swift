// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A type with a value that stands for an empty response.
///
/// Optionals have nil. Give your own types a value where an empty response means something.
public protocol EmptyResponse {
    /// The value that stands for an empty body.
    static var emptyValue: Self { get }
}

/// A value without content: the type to ask for where a response's body does not matter or is empty.
public struct EmptyBody: Sendable, Hashable, Codable, EmptyResponse {
    /// Creates the value.
    public init() {}

    /// Reads a document of any content.
    public init(from decoder: any Decoder) throws {}

    private enum Key: CodingKey {}

    /// Writes an object without members.
    public func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Key.self) }

    public static var emptyValue: EmptyBody { EmptyBody() }
}

extension Optional: EmptyResponse {
    public static var emptyValue: Wrapped? { nil }
}
