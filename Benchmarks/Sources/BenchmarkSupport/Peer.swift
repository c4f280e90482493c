// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A client under measurement, used the way its documentation shows.
public protocol Peer: Sendable {
    /// Gets a small resource whole.
    ///
    /// - Parameters:
    ///   - url: What to get.
    ///   - closes: Whether the server is asked to close the connection afterwards.
    /// - Returns: The number of bytes of its body.
    /// - Throws: Anything, if the status is not 200.
    func get(_ url: String, closes: Bool) async throws -> Int

    /// Receives a large resource without keeping it.
    ///
    /// - Returns: The number of bytes of its body.
    func download(_ url: String) async throws -> Int64

    /// Receives a large resource into a file that does not exist yet.
    func save(_ url: String, to path: String) async throws

    /// Sends a file with PUT.
    func upload(_ path: String, to url: String) async throws

    /// Closes the connections.
    func shutdown() async throws
}

/// What all peers are told through the environment.
public enum Surroundings {
    /// The file with the root that servers of the measurement are trusted by.
    public static var root: String? { Self.value("BENCH_ROOT") }

    /// Whether HTTP/2 is wanted; HTTP/1.1 is where this is false.
    public static var isHTTP2: Bool { Self.value("BENCH_HTTP") == "2" }

    /// The connections to one server.
    public static var connectionCount: Int { Self.value("BENCH_CONNECTIONS").flatMap { Int($0) } ?? 256 }

    /// How many ranges of a file are received at a time.
    public static var parallelism: Int { Self.value("BENCH_PARALLELISM").flatMap { Int($0) } ?? 1 }

    private static func value(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        return String(cString: value)
    }
}

/// A response that is not what the server has.
public struct WrongResponse: Error {
    /// What is wrong with it.
    public var reason: String

    /// Creates the error.
    public init(_ reason: String) { self.reason = reason }
}
