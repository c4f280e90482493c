// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
@preconcurrency import Glibc
#else
import Darwin
#endif

/// A measurement, selected by the arguments of a peer's program.
///
///     bench-ahc get URL WIDTH SECONDS BYTES         requests as fast as they go, WIDTH at a time
///     bench-ahc connect URL WIDTH SECONDS BYTES     the same, each on a connection of its own
///     bench-ahc repeat URL WIDTH COUNT BYTES        a number of requests, WIDTH at a time
///     bench-ahc flood URL COUNT BYTES               that many requests at once
///     bench-ahc download URL BYTES                  one large response
///     bench-ahc save URL PATH BYTES                 one large response into a file
///     bench-ahc upload URL PATH BYTES               one large request
///
/// The program prints one line of JSON.
public enum Workload {
    /// Runs the measurement of the arguments, and ends the process with a message if it fails.
    public static func run(
        _ peer: some Peer,
        arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) async {
        do {
            try await Self.measure(peer, arguments: arguments)
        } catch {
            fputs("\(error)\n", stderr)
            exit(1)
        }
    }

    private static func measure(_ peer: some Peer, arguments: [String]) async throws {
        switch arguments.first {
        case "get" where arguments.count == 5, "connect" where arguments.count == 5:
            guard let width = Int(arguments[2]), let seconds = Double(arguments[3]), let bytes = Int(arguments[4])
            else { throw WrongResponse("a number was expected") }
            let load = Load(url: arguments[1], bytes: bytes, closes: arguments[0] == "connect")
            try await Self.get(peer, load, width: width, seconds: seconds)
        case "repeat" where arguments.count == 5:
            guard let width = Int(arguments[2]), let count = Int(arguments[3]), let bytes = Int(arguments[4])
            else { throw WrongResponse("a number was expected") }
            try await Self.times(peer, Load(url: arguments[1], bytes: bytes, closes: false), width: width, count: count)
        case "flood" where arguments.count == 4:
            guard let count = Int(arguments[2]), let bytes = Int(arguments[3])
            else { throw WrongResponse("a number was expected") }
            try await Self.times(peer, Load(url: arguments[1], bytes: bytes, closes: false), width: count, count: count)
        case "download" where arguments.count == 3:
            try await Self.transfer(peer, arguments[1], bytes: arguments[2]) { try await peer.download(arguments[1]) }
        case "save" where arguments.count == 4:
            try await Self.transfer(peer, arguments[1], bytes: arguments[3]) {
                try await peer.save(arguments[1], to: arguments[2])
                return Self.size(of: arguments[2])
            }
        case "upload" where arguments.count == 4:
            try await Self.transfer(peer, arguments[1], bytes: arguments[3]) {
                try await peer.upload(arguments[2], to: arguments[1])
                return nil
            }
        default:
            throw WrongResponse("no such measurement: \(arguments)")
        }
        try await peer.shutdown()
    }

    /// A request, and the expected length of its response.
    private struct Load {
        let url: String
        let bytes: Int
        let closes: Bool

        func run(_ peer: some Peer) async throws {
            let length = try await peer.get(self.url, closes: self.closes)
            guard length == self.bytes else { throw WrongResponse("\(length) bytes instead of \(self.bytes)") }
        }
    }

    private static func get(_ peer: some Peer, _ load: Load, width: Int, seconds: Double) async throws {
        // Warms up connections, caches and branch predictors before the clock starts.
        _ = try await Self.loop(peer, load, width: width, seconds: seconds / 4)
        let before = Usage.now()
        let count = try await Self.loop(peer, load, width: width, seconds: seconds)
        Self.report(count: count, bytes: count * load.bytes, before: before, after: Usage.now())
    }

    private static func times(_ peer: some Peer, _ load: Load, width: Int, count: Int) async throws {
        let before = Usage.now()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<width {
                group.addTask {
                    for _ in stride(from: index, to: count, by: width) { try await load.run(peer) }
                }
            }
            try await group.waitForAll()
        }
        Self.report(count: count, bytes: count * load.bytes, before: before, after: Usage.now())
    }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : -1
    }

    private static func loop(_ peer: some Peer, _ load: Load, width: Int, seconds: Double) async throws -> Int {
        let end = Usage.clockSeconds() + seconds
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<width {
                group.addTask {
                    var count = 0
                    while Usage.clockSeconds() < end {
                        try await load.run(peer)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private static func transfer(
        _ peer: some Peer,
        _ url: String,
        bytes: String,
        _ work: () async throws -> Int64?
    ) async throws {
        guard let bytes = Int(bytes) else { throw WrongResponse("a number was expected") }
        // The cost of the first connection and of loading root certificates is not part of the cost of a large body.
        let small = url.hasSuffix("/large") ? url.dropLast("large".count) + "small" : url[...]
        _ = try await peer.get(String(small), closes: false)
        let before = Usage.now()
        if let length = try await work(), length != bytes {
            throw WrongResponse("\(length) bytes instead of \(bytes)")
        }
        Self.report(count: 1, bytes: bytes, before: before, after: Usage.now())
    }

    private static func report(count: Int, bytes: Int, before: Usage, after: Usage) {
        let seconds = after.clock - before.clock
        let processor = after.processor - before.processor
        print(
            """
            {"count": \(count), "bytes": \(bytes), "seconds": \(seconds), "processor": \(processor), \
            "peak": \(Usage.peakMemory)}
            """
        )
    }
}
