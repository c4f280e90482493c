// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A client under measurement, used the way its documentation shows.
public protocol Peer: Sendable {
    /// Gets a small resource whole.
    ///
    /// - Returns: The number of bytes of its body.
    /// - Throws: Anything, if the status is not 200.
    func get(_ url: String) async throws -> Int

    /// Receives a large resource without keeping it.
    ///
    /// - Returns: The number of bytes of its body.
    func download(_ url: String) async throws -> Int64

    /// Sends a file with PUT.
    func upload(_ path: String, to url: String) async throws

    /// Closes the connections.
    func shutdown() async throws
}

/// A reply that is not what the server has.
public struct WrongReply: Error {
    /// What is wrong with it.
    public var reason: String

    /// Creates the error.
    public init(_ reason: String) { self.reason = reason }
}
