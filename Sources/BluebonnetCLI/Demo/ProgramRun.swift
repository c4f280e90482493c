// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A child process of this program, which the demonstration starts, waits for, and kills.
///
/// Its input is empty, and its output goes to a file. The process is killed if the object is released while it runs.
final class ProgramRun: Sendable {
    /// The way in which a process has ended.
    enum Ending: Equatable {
        case exited(CInt)
        case killed(by: CInt)
    }

    private let state: Mutex<State>

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - arguments: The arguments, without the program's name.
    ///   - environment: Its environment.
    ///   - log: The file for the output.
    /// - Throws: `CommandFailure` if the system call fails.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        log: String
    ) throws(CommandFailure) {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var words = Self.strings([program] + arguments)
        var variables = Self.strings(environment.map { "\($0)=\($1)" })
        defer { for string in words + variables { free(string) } }
        var process = pid_t()
        let error = posix_spawn(&process, program, &actions, nil, &words, &variables)
        guard error == 0 else {
            throw CommandFailure(.transport, "cannot start “\(program)”: \(SystemError.text(of: error))")
        }
        self.state = Mutex(State(process: process))
    }

    deinit { self.kill() }

    /// How the process has ended; nil while it runs.
    var ending: Ending? { self.state.withLock { $0.wait(WNOHANG) } }

    /// Kills the process with SIGKILL, which it cannot handle, unless it has already ended.
    ///
    /// - Returns: How the process has ended.
    @discardableResult
    func kill() -> Ending? {
        self.state.withLock { state in
            if let ending = state.wait(WNOHANG) { return ending }
            // The process identifier is not reused before the process has been waited for.
            _ = systemKill(state.process, SIGKILL)
            return state.wait(0)
        }
    }

    private struct State {
        let process: pid_t
        var ending: Ending?

        mutating func wait(_ options: CInt) -> Ending? {
            if let ending { return ending }
            var status: CInt = 0
            var found = waitpid(self.process, &status, options)
            while found < 0, errno == EINTR { found = waitpid(self.process, &status, options) }
            guard found == self.process else { return nil }
            let signal = status & 0x7F
            self.ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(by: signal)
            return self.ending
        }
    }

    /// Returns C strings with a null pointer at the end; each has to be freed by the caller.
    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }
}

/// Declared outside the class, whose own method has the same name.
private func systemKill(_ process: pid_t, _ signal: CInt) -> CInt { kill(process, signal) }
