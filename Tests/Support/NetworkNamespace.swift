// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation

/// A network of its own for one test (network_namespaces(7)), in which nothing is up at first.
///
/// It ends with the value. Making one needs the rights of root.
public final class NetworkNamespace: Sendable {
    public struct Failure: Error, CustomStringConvertible {
        public var description: String
    }

    /// Why there can be none here; nil if there can.
    public static let obstacle: String? = {
        do {
            let namespace = try NetworkNamespace()
            try namespace.ip("link", "add", "v0", "type", "veth", "peer", "name", "v1")
            return nil
        } catch {
            return "no network namespace with veth links can be made: \(error)"
        }
    }()

    /// Lives in the namespace as long as its input is open.
    private let keeper: Process
    private let input = Pipe()

    public init() throws {
        self.keeper = Process()
        self.keeper.executableURL = URL(filePath: "/usr/bin/env")
        // It says so when it is in there.
        self.keeper.arguments = ["unshare", "-n", "sh", "-c", "echo ready; exec cat"]
        let output = Pipe()
        self.keeper.standardInput = self.input
        self.keeper.standardOutput = output
        self.keeper.standardError = FileHandle.nullDevice
        try self.keeper.run()
        guard let line = try output.fileHandleForReading.read(upToCount: 6), line == Data("ready\n".utf8) else {
            throw Failure(description: "unshare -n failed")
        }
    }

    deinit {
        try? self.input.fileHandleForWriting.close()
        self.keeper.waitUntilExit()
    }

    private var path: String { "/proc/\(self.keeper.processIdentifier)/ns/net" }

    /// Runs `ip` in it.
    public func ip(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["nsenter", "--net=\(self.path)", "ip"] + arguments
        process.standardInput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: "ip \(arguments.joined(separator: " ")): \(String(decoding: text, as: UTF8.self))"
            )
        }
    }

    /// Runs code on a thread that is in it; sockets that it opens stay in it.
    public func run(_ body: @escaping @Sendable () -> Void) async throws {
        let path = self.path
        let isThere = await withCheckedContinuation { continuation in
            let thread = Thread {
                let isThere = Self.enter(path)
                if isThere { body() }
                continuation.resume(returning: isThere)
            }
            thread.start()
        }
        guard isThere else { throw Failure(description: "setns failed") }
    }

    /// Moves the calling thread; `setns` is not among what Swift knows of the C library.
    private static func enter(_ path: String) -> Bool {
        guard let symbol = dlsym(nil, "setns") else { return false }
        let setns = unsafeBitCast(symbol, to: (@convention(c) (CInt, CInt) -> CInt).self)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return setns(descriptor, 0) == 0
    }
}
#endif
