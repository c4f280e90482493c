// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Converts a collected response to a value, or throws the reason why it cannot.
///
/// Called once per response, on neither an event loop nor the caller's actor. A conformer may use the processor for as long as it needs,
/// and must not block otherwise.
public protocol ResponseSerializer<Output>: Sendable {
    /// The value a response is turned into.
    associatedtype Output: Sendable

    /// The media types that this serializer reads; nil if it reads any, or cannot say: the default.
    ///
    /// A session sends them as the Accept field of a request that has none.
    var acceptableContentTypes: Set<String>? { get }

    /// Whether reading even a small response may take long; false unless implemented.
    ///
    /// A session reads small responses where the caller runs. One that may unpack to much more is read off the caller's executor.
    var isCostly: Bool { get }

    /// The same serializer, decoding with a decoder unless it was given one of its own; itself unless implemented.
    ///
    /// An `HTTPSession` calls it with its own decoder. A serializer around another one passes it on.
    ///
    /// - Parameter decoder: The decoder.
    /// - Returns: The serializer.
    func decoding(with decoder: ResponseDecoder) -> Self

    /// Validates a response and turns it into a value.
    ///
    /// - Parameter response: The response.
    /// - Returns: The value.
    /// - Throws: ``SerializationError`` if the response is refused or cannot be read.
    func serialize(_ response: Response) throws(SerializationError) -> Output
}

extension ResponseSerializer {
    public var acceptableContentTypes: Set<String>? { nil }

    public var isCostly: Bool { false }

    public func decoding(with decoder: ResponseDecoder) -> Self { self }
}
