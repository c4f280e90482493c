// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A process of ``Program``; it is killed with its last reference.
final class RunningProgram: Sendable {
    /// How a process ended.
    enum Ending: Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// What a process left behind.
    struct Result {
        var ending: Ending
        /// Standard output; on a terminal, standard error as well.
        var output: String
        var errors: String
        /// The largest resident memory, in KiB.
        var peakMemory: Int
    }

    private struct State {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var ending: (Ending, peakMemory: Int)?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let pid: pid_t
    private let outputDescriptor: CInt
    private let state: Shared

    /// What the reading thread and the test share; the thread does not keep the program alive.
    private final class Shared: Sendable {
        let state = Mutex(State())

        func change(_ change: (inout sending State) -> Void) {
            let waiters = self.state.withLock { state in
                change(&state)
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    init(pid: pid_t, output: CInt, errors: CInt) {
        self.pid = pid
        self.outputDescriptor = output
        let shared = Shared()
        self.state = shared
        // A thread of its own: reading blocks, and the tests share a pool of few threads.
        Thread { Self.collect(pid, output, errors, shared) }.start()
    }

    deinit {
        let hasEnded = self.state.state.withLock { $0.ending != nil }
        if !hasEnded { kill(self.pid, SIGKILL) }
    }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(self.pid, signal) }

    /// Types on the terminal.
    func type(_ text: String) { self.type(bytes: Array(text.utf8)) }

    /// Types bytes that need not be UTF-8.
    func type(bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { write(self.outputDescriptor, $0.baseAddress, $0.count) }
    }

    /// Waits until output or errors contain a text, or the process has ended.
    ///
    /// - Returns: What has been written so far, both together.
    @discardableResult
    func waitForText(_ text: String) async -> String {
        while true {
            let (all, hasEnded) = self.state.state.withLock {
                (String(decoding: $0.output + $0.errors, as: UTF8.self), $0.ending != nil)
            }
            if all.contains(text) || hasEnded { return all }
            await self.waitForChange()
        }
    }

    /// Waits for the end of the process.
    func result() async -> Result {
        while true {
            let result: Result? = self.state.state.withLock { state in
                state.ending.map { ending, peakMemory in
                    Result(
                        ending: ending,
                        output: String(decoding: state.output, as: UTF8.self),
                        errors: String(decoding: state.errors, as: UTF8.self),
                        peakMemory: peakMemory
                    )
                }
            }
            if let result { return result }
            await self.waitForChange()
        }
    }

    private func waitForChange() async {
        let seen = self.state.state.withLock { $0.output.count + $0.errors.count }
        await withCheckedContinuation { continuation in
            let hasChanged = self.state.state.withLock { state in
                if state.ending != nil || state.output.count + state.errors.count != seen { return true }
                state.waiters.append(continuation)
                return false
            }
            if hasChanged { continuation.resume() }
        }
    }

    private static func collect(_ pid: pid_t, _ output: CInt, _ errors: CInt, _ shared: Shared) {
        var open = [output, errors].filter { $0 >= 0 }
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while !open.isEmpty {
            var entries = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, nfds_t(entries.count), -1) >= 0 || errno == EINTR else { break }
            for entry in entries where entry.revents != 0 {
                let count = read(entry.fd, &piece, piece.count)
                // The controlling side of a terminal fails with EIO when the last process has closed the other.
                if count <= 0 { open.removeAll { $0 == entry.fd } }
                let bytes = Array(piece[..<max(0, count)])
                shared.change { state in
                    if entry.fd == output { state.output += bytes } else { state.errors += bytes }
                }
            }
        }
        var status: CInt = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        let signal = status & 0x7F
        let ending = signal == 0 ? Ending.exited(status >> 8 & 0xFF) : .signalled(signal)
        let peakMemory = usage.ru_maxrss
        shared.change { $0.ending = (ending, peakMemory) }
        for descriptor in [output, errors] where descriptor >= 0 { close(descriptor) }
    }
}
