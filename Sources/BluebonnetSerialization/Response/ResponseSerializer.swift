// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Converts a collected response to a value, or throws the reason why it cannot.
///
/// Called once per response, never on an event loop, and it must not block. A body of up to 16 KiB is converted on the
/// caller's executor, which may be the main actor, unless ``isCostly`` is true; a larger one away from it, for as long as
/// that takes.
public protocol ResponseSerializer<Output>: Sendable {
    /// The type of the value.
    associatedtype Output: Sendable

    /// The media types that this serializer accepts; nil, the default, if it accepts any or does not know them.
    ///
    /// A session sends them as the Accept field of a request without one, except patterns with a suffix, such as
    /// `*+json`.
    var acceptableContentTypes: Set<String>? { get }

    /// Whether deserializing even a small response may take long; false unless implemented.
    ///
    /// A session deserializes small responses on the caller's executor. If they may expand to much more, it does so off
    /// that executor.
    var isCostly: Bool { get }

    /// Returns the same serializer with a decoder, unless it has its own; returns itself unless implemented.
    ///
    /// An `HTTPSession` calls it with its own decoder. A serializer that wraps another one forwards the call.
    ///
    /// - Parameter decoder: The decoder.
    /// - Returns: The serializer.
    func decoding(with decoder: ResponseDecoder) -> Self

    /// Validates a response and converts it to a value.
    ///
    /// - Parameter response: The response.
    /// - Returns: The value.
    /// - Throws: ``SerializationError`` if the response is refused or invalid.
    func serialize(_ response: Response) throws(SerializationError) -> Output
}

extension ResponseSerializer {
    public var acceptableContentTypes: Set<String>? { nil }

    public var isCostly: Bool { false }

    public func decoding(with decoder: ResponseDecoder) -> Self { self }
}
