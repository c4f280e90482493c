// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The built `bluebonnet` program and how it is started.
struct Program {
    /// What the standard descriptors are.
    enum Connection {
        /// Pipes for output and errors, /dev/null for input.
        case pipes
        /// A pseudo-terminal of so many columns, which is the controlling one: Ctrl-C reaches the program.
        case terminal(columns: Int)
    }

    /// Why a program cannot be started.
    struct Failure: Error {
        var step: String
        var code = errno
    }

    var environment: [String: String] = [:]
    var connection = Connection.pipes
    /// The folder it runs in; the test's own unless given.
    var directory: String?
    /// Where it is, under whichever name.
    var path = Self.path
    /// Runs before it in the same process, in the language of `sh`.
    var preparation = ":"

    /// Where it is: beside the test bundle, unless `BLUEBONNET_PROGRAM` names another (`make test-program`).
    static var path: String {
        let folder = Bundle.module.bundleURL.deletingLastPathComponent()
        return ProcessInfo.processInfo.environment["BLUEBONNET_PROGRAM"]
            ?? folder.appending(path: "bluebonnet").path(percentEncoded: false)
    }

    /// Starts the program.
    func start(_ arguments: [String]) throws -> RunningProgram {
        try self.start(bytes: arguments.map { Array($0.utf8) })
    }

    /// Starts the program with arguments that need not be UTF-8.
    func start(bytes arguments: [[UInt8]]) throws -> RunningProgram {
        var descriptors = try self.makeDescriptors()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let terminal = descriptors.terminal {
            // Opened by the first process of a new session, it becomes the controlling terminal.
            posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, descriptors.childOutput, 1)
            posix_spawn_file_actions_adddup2(&actions, descriptors.childErrors, 2)
        }
        // A shell leaves the program no others; those of NIO's epoll would be inherited. It is no error if one is closed.
        for descriptor in 3..<CInt(1024) { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, whose declaration is hidden from Swift.
        posix_spawnattr_setflags(&attributes, 0x80)
        let folder = self.directory ?? "."
        let words = ["sh", "-c", "\(self.preparation); cd \"$0\" && exec \"$@\"", folder, self.path].map {
            Array($0.utf8)
        }
        let variables = self.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }.merging(Self.sanitizer) { $1 }
        let environment = variables.map { Array("\($0)=\($1)".utf8) }
        var pid: pid_t = 0
        let code = Self.withPointers(to: words + arguments) { arguments in
            Self.withPointers(to: environment) { environment in
                posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments, environment)
            }
        }
        descriptors.closeChildEnds()
        guard code == 0 else { throw Failure(step: "posix_spawn", code: code) }
        return RunningProgram(pid: pid, output: descriptors.output, errors: descriptors.errors)
    }

    /// What the program needs where it is tested under a sanitizer, as `make tsan` does.
    static let sanitizer = ProcessInfo.processInfo.environment
        .filter { ["LD_PRELOAD", "TSAN_OPTIONS"].contains($0.key) }

    /// Runs the program to its end.
    func run(_ arguments: String...) async throws -> RunningProgram.Result {
        try await self.start(arguments).result()
    }

    /// Runs the program to its end.
    func run(_ arguments: [String]) async throws -> RunningProgram.Result {
        try await self.start(arguments).result()
    }

    private struct Descriptors {
        var output: CInt
        var errors: CInt = -1
        var childOutput: CInt
        var childErrors: CInt = -1
        var terminal: String?

        mutating func closeChildEnds() {
            close(self.childOutput)
            if self.childErrors >= 0 { close(self.childErrors) }
        }
    }

    private func makeDescriptors() throws -> Descriptors {
        switch self.connection {
        case .pipes:
            let output = try Self.makePipe()
            let errors = try Self.makePipe()
            return Descriptors(
                output: output.reader,
                errors: errors.reader,
                childOutput: output.writer,
                childErrors: errors.writer
            )
        case .terminal(let columns):
            var (controller, terminal): (CInt, CInt) = (-1, -1)
            var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
            guard openpty(&controller, &terminal, nil, nil, &size) == 0 else { throw Failure(step: "openpty") }
            var name = [CChar](repeating: 0, count: 100)
            guard ttyname_r(terminal, &name, name.count) == 0 else { throw Failure(step: "ttyname_r") }
            for descriptor in [controller, terminal] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return Descriptors(output: controller, childOutput: terminal, terminal: path)
        }
    }

    private static func makePipe() throws -> (reader: CInt, writer: CInt) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(step: "pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func withPointers<Result>(
        to words: [[UInt8]],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = words.map { word in
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: word.count + 1)
            for (index, byte) in (word + [0]).enumerated() { copy[index] = CChar(bitPattern: byte) }
            return Optional(copy)
        }
        pointers.append(nil)
        defer { for pointer in pointers { pointer?.deallocate() } }
        return body(&pointers)
    }
}
