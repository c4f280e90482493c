// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
@preconcurrency import Glibc
#else
import Darwin
#endif

/// One measurement, as the command line of a peer's program names it.
///
///     bench-ahc get URL WIDTH SECONDS BYTES     requests as fast as they go, WIDTH at a time
///     bench-ahc download URL BYTES              one large reply
///     bench-ahc upload URL PATH BYTES           one large request
///
/// The program prints one line of JSON.
public enum Workload {
    /// Runs the measurement that the arguments name, and ends the process with a message if it cannot.
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
        case "get" where arguments.count == 5:
            guard let width = Int(arguments[2]), let seconds = Double(arguments[3]), let bytes = Int(arguments[4])
            else {
                throw WrongReply("a number was expected")
            }
            try await Self.get(peer, url: arguments[1], width: width, seconds: seconds, bytes: bytes)
        case "download" where arguments.count == 3:
            try await Self.transfer(bytes: arguments[2]) { try await peer.download(arguments[1]) }
        case "upload" where arguments.count == 4:
            try await Self.transfer(bytes: arguments[3]) {
                try await peer.upload(arguments[2], to: arguments[1])
                return nil
            }
        default:
            throw WrongReply("usage: get URL WIDTH SECONDS BYTES | download URL BYTES | upload URL PATH BYTES")
        }
        try await peer.shutdown()
    }

    private static func get(
        _ peer: some Peer,
        url: String,
        width: Int,
        seconds: Double,
        bytes: Int
    ) async throws {
        // Connections, caches and branch predictors are warm before the clock starts.
        _ = try await Self.loop(peer, url: url, width: width, seconds: seconds / 4, bytes: bytes)
        let before = Usage.now()
        let count = try await Self.loop(peer, url: url, width: width, seconds: seconds, bytes: bytes)
        Self.report(count: count, bytes: count * bytes, before: before, after: Usage.now())
    }

    private static func loop(
        _ peer: some Peer,
        url: String,
        width: Int,
        seconds: Double,
        bytes: Int
    ) async throws -> Int {
        let end = Usage.clockSeconds() + seconds
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<width {
                group.addTask {
                    var count = 0
                    while Usage.clockSeconds() < end {
                        let length = try await peer.get(url)
                        guard length == bytes else { throw WrongReply("\(length) bytes instead of \(bytes)") }
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private static func transfer(bytes: String, _ work: () async throws -> Int64?) async throws {
        guard let bytes = Int(bytes) else { throw WrongReply("a number was expected") }
        let before = Usage.now()
        if let length = try await work(), length != bytes {
            throw WrongReply("\(length) bytes instead of \(bytes)")
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
