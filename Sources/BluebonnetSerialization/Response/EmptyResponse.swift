// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A type that has a value for "the reply had no body".
///
/// Optionals have nil. Give your own types a value where an empty reply means something.
public protocol EmptyResponse {
    /// The value that stands for an empty body.
    static var emptyValue: Self { get }
}

/// A value without content: the type to ask for where a reply's body does not matter or is empty.
public struct Empty: Sendable, Hashable, Codable, EmptyResponse {
    /// Creates the value.
    public init() {}

    /// Accepts a document of any content.
    public init(from decoder: any Decoder) throws {}

    private enum Key: CodingKey {}

    /// Writes an object without members.
    public func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Key.self) }

    public static var emptyValue: Empty { Empty() }
}

extension Optional: EmptyResponse {
    public static var emptyValue: Wrapped? { nil }
}
