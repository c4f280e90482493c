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

/// Signal handling: SIGINT, SIGTERM and SIGHUP cancel a task, after which the process terminates by the signal.
///
/// A shell distinguishes termination by a signal from an exit: a loop stops after SIGINT and continues after an exit.
enum Interrupts {
    /// The time that the task may take to clean up before the process is terminated, in milliseconds.
    private static let patience: Int32 = 3000

    /// The time after the first signal in which others count as the same one, in milliseconds.
    ///
    /// `timeout` signals its child and then the group of its child, and a terminal that is closed may send two signals.
    private static let echoTime: Int32 = 500

    /// A pipe that the signal handler writes to, because a handler may call only async-signal-safe functions.
    private static let pipe: (reader: Int32, writer: Int32) = {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        _ = Glibc.pipe(&ends)
        #elseif canImport(Musl)
        _ = Musl.pipe(&ends)
        #else
        _ = Darwin.pipe(&ends)
        #endif
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()

    /// The first signal that arrived; 0 for none.
    private static let received = Atomic<Int32>(0)

    /// Whether a signal has arrived.
    private static var hasArrived: Bool { Self.received.load(ordering: .relaxed) != 0 }

    /// Waits until a descriptor is ready for reading or writing, or a signal arrives: nobody needs the bytes of a pipe then.
    ///
    /// - Parameters:
    ///   - events: What the descriptor has to be ready for: `POLLIN` or `POLLOUT`.
    ///   - descriptor: The descriptor.
    /// - Throws: `CommandFailure` when a signal has arrived.
    static func wait(for events: Int32, on descriptor: CInt) throws(CommandFailure) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        // After an error of poll, reading or writing reports the problem.
        while poll(&entry, 1, 100) == 0 { try self.check() }
    }

    /// Checks whether a signal has arrived.
    ///
    /// - Throws: `CommandFailure` if one has.
    static func check() throws(CommandFailure) {
        if self.hasArrived { throw CommandFailure(.interrupted, "interrupted by a signal") }
    }

    /// Cancels a task on the first signal; a second signal, half a second later at the earliest, or a timeout
    /// terminates the process.
    ///
    /// - Returns: Whether signals are waited for; false if there is no pipe or no thread for them, and they have their
    ///   default effect.
    static func cancel(_ task: Task<CommandStatus, Never>) -> Bool {
        // Initialized here, because a signal handler must not be the first to access it.
        guard self.pipe.reader >= 0 else { return false }
        // A separate thread: waiting for a signal blocks, and the task may use every thread of the cooperative pool. It is
        // started first, because a signal that is handled and not waited for would be lost.
        guard SystemThread.start({ Self.end(task) }) != nil else { return false }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let previous = signal(number) { number in
                var byte = UInt8(truncatingIfNeeded: number)
                write(Interrupts.pipe.writer, &byte, 1)
            }
            // `nohup` and a shell's `&` make their children ignore signals.
            if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
        return true
    }

    /// Terminates the process by the signal that was received; returns if there was none.
    static func endBySignal() {
        let number = self.received.load(ordering: .relaxed)
        if number != 0 { self.end(by: number) }
    }

    private static func end(by number: Int32) {
        signal(number, SIG_DFL)
        kill(getpid(), number)
        // The signal may be delivered to another thread a moment later.
        pause()
    }

    /// Waits for a signal, cancels the task, and terminates the process if it takes too long to end.
    private static func end(_ task: Task<CommandStatus, Never>) {
        let number = self.nextSignal(milliseconds: -1) ?? SIGTERM
        self.received.store(number, ordering: .relaxed)
        task.cancel()
        self.ignoreSignals(milliseconds: self.echoTime)
        self.end(by: self.nextSignal(milliseconds: self.patience - self.echoTime) ?? number)
    }

    /// Waits for a time, and discards the signals that arrive in it.
    private static func ignoreSignals(milliseconds: Int32) {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            let rest = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard rest > 0 else { return }
            _ = self.nextSignal(milliseconds: Int32(rest.rounded(.up)))
        }
    }

    /// Waits for a signal; nil after the timeout.
    private static func nextSignal(milliseconds: Int32) -> Int32? {
        var entry = pollfd(fd: self.pipe.reader, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, milliseconds) < 0, errno == EINTR {}
        var byte: UInt8 = 0
        guard entry.revents != 0, read(self.pipe.reader, &byte, 1) == 1 else { return nil }
        return Int32(byte)
    }
}
