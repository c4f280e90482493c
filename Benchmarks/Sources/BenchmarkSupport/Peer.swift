// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A client under measurement, used as its documentation shows.
public protocol Peer: Sendable {
    /// Receives a small resource completely.
    ///
    /// - Parameters:
    ///   - url: The URL of the resource.
    ///   - closes: Whether the server is asked to close the connection after the response.
    /// - Returns: The number of bytes of the body.
    /// - Throws: Any error, also for a status other than 200.
    func get(_ url: String, closes: Bool) async throws -> Int

    /// Receives a large resource without storing it.
    ///
    /// - Returns: The number of bytes of the body.
    func download(_ url: String) async throws -> Int64

    /// Receives a large resource into a new file.
    func save(_ url: String, to path: String) async throws

    /// Sends a file with PUT.
    func upload(_ path: String, to url: String) async throws

    /// Closes the connections.
    func shutdown() async throws
}

/// The settings of all peers, from the environment.
public enum Surroundings {
    /// The path of the root certificate of the servers.
    public static var root: String? { Self.value("BENCH_ROOT") }

    /// Whether HTTP/2 is used instead of HTTP/1.1.
    public static var isHTTP2: Bool { Self.value("BENCH_HTTP") == "2" }

    /// The largest number of connections to one server.
    public static var connectionCount: Int { Self.value("BENCH_CONNECTIONS").flatMap { Int($0) } ?? 256 }

    /// The number of ranges of a file that are received at the same time.
    public static var parallelism: Int { Self.value("BENCH_PARALLELISM").flatMap { Int($0) } ?? 1 }

    private static func value(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        return String(cString: value)
    }
}

/// The error for an unexpected response.
public struct WrongResponse: Error {
    /// The difference from the expected response.
    public var reason: String

    /// Creates the error.
    public init(_ reason: String) { self.reason = reason }
}
