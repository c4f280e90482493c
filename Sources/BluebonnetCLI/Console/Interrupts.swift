// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Turns Ctrl-C and the system's polite request to end into the cancellation of a task.
enum Interrupts {
    /// How long the work may take to clean up, in milliseconds, before the process ends without it.
    private static let patience: Int32 = 3000

    /// A pipe: a signal handler may do little more than write into one.
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

    /// Cancels a task on the first signal; a second one, or a task that does not end, ends the process.
    static func cancel(_ task: Task<CommandStatus, Never>) {
        // Made here, because a signal handler must not be the first to use it.
        guard self.pipe.reader >= 0 else { return }
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in
                var byte: UInt8 = 0
                write(Interrupts.pipe.writer, &byte, 1)
            }
        }
        let context = Unmanaged.passRetained(Box(task))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        // A thread of its own: waiting for a signal blocks, and the work may take every thread of the pool.
        let failure = pthread_create(&thread, nil, Self.body, context.toOpaque())
        if failure != 0 { context.release() }
    }

    #if canImport(Darwin)
    private static let body: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
        Interrupts.wait(context)
        return nil
    }
    #else
    private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        if let context { Interrupts.wait(context) }
        return nil
    }
    #endif

    private final class Box: Sendable {
        let task: Task<CommandStatus, Never>
        init(_ task: Task<CommandStatus, Never>) { self.task = task }
    }

    private static func wait(_ context: UnsafeMutableRawPointer) {
        let box = Unmanaged<Box>.fromOpaque(context).takeRetainedValue()
        self.waitForSignal(milliseconds: -1)
        box.task.cancel()
        self.waitForSignal(milliseconds: self.patience)
        _exit(CommandStatus.interrupted.rawValue)
    }

    private static func waitForSignal(milliseconds: Int32) {
        var entry = pollfd(fd: self.pipe.reader, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, milliseconds) < 0, errno == EINTR {}
        if entry.revents != 0 {
            var byte: UInt8 = 0
            _ = read(self.pipe.reader, &byte, 1)
        }
    }
}
