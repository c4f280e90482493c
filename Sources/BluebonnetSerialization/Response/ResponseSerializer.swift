// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Turns a whole response into a value, or says why it cannot.
///
/// Called once per response, off the event loop and off the caller's actor; it may burn processor time and must not block on anything else.
public protocol ResponseSerializer<Output>: Sendable {
    /// The value a response is turned into.
    associatedtype Output: Sendable

    /// Validates a response and turns it into a value.
    ///
    /// - Parameter response: The response.
    /// - Returns: The value.
    /// - Throws: ``SerializationError`` if the response is refused or cannot be read.
    func serialize(_ response: Response) throws(SerializationError) -> Output
}
