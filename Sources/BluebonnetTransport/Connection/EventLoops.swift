// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The event loops of an engine: the group it was given, or the process-wide group, which is created when first needed.
///
/// NIO stops the process if it runs out of file descriptors or threads while it creates a loop, so the engine first
/// checks that enough are available.
final class EventLoops: Sendable {
    /// The file descriptors of one loop: epoll, eventfd and timerfd.
    private static let descriptorsPerLoop = 3
    /// Descriptors left for sockets and for other files that are opened at that moment.
    private static let reserve = 8
    /// Whether the process-wide group has been created.
    private static let isSharedReady = Atomic(false)

    private let group: (any EventLoopGroup)?

    /// - Parameter group: The group to use; nil for the process-wide one.
    init(_ group: (any EventLoopGroup)?) {
        self.group = group
    }

    /// Returns the next loop in turn; ``prepare()`` must have succeeded before.
    func next() -> any EventLoop {
        (self.group ?? MultiThreadedEventLoopGroup.singleton).next()
    }

    /// Creates the process-wide group, unless it exists or is not needed.
    func prepare() throws(TransportError) {
        guard self.group == nil, !Self.isSharedReady.load(ordering: .acquiring) else { return }
        let count = NIOSingletons.groupLoopCountSuggestion * Self.descriptorsPerLoop
        try Self.checkLimit(descriptors: count + Self.reserve)
        try Self.check(descriptors: count)
        try Self.check(threads: NIOTransport.requiredThreadCount)
        _ = MultiThreadedEventLoopGroup.singleton
        Self.isSharedReady.store(true, ordering: .releasing)
    }

    /// Checks that the system allows this many threads, by starting them.
    ///
    /// This is done once in a process, whatever its limits: those of a control group are not among them.
    ///
    /// - Parameters:
    ///   - count: The number of threads.
    ///   - available: Counts the threads that can be started, up to a number.
    /// - Throws: ``TransportError/Code/connectFailed`` if there are fewer.
    static func check(
        threads count: Int,
        available: (_ most: Int) -> Int = { ThreadLimit.available(upTo: $0) }
    ) throws(TransportError) {
        let free = available(count)
        guard free < count else { return }
        throw TransportError(
            .connectFailed,
            phase: .connect,
            reason: "the engine needs \(count) threads, and only \(free) can be started; raise the limit of processes "
                + "(ulimit -u, or pids.max of the control group) or of memory (ulimit -v)"
        )
    }

    /// Checks that the limit of the process leaves this many file descriptors.
    ///
    /// - Parameter count: The number of descriptors.
    /// - Throws: ``TransportError/Code/connectFailed`` if there are fewer.
    static func checkLimit(descriptors count: Int) throws(TransportError) {
        let free = DescriptorLimit.available(upTo: count)
        guard free < count else { return }
        throw Self.shortage(of: count, EMFILE, available: free)
    }

    /// Checks that this many file descriptors can be opened, by opening them.
    ///
    /// - Parameters:
    ///   - count: The number of descriptors.
    ///   - openNext: Opens one more; returns a negative number if the system call fails.
    /// - Throws: ``TransportError/Code/connectFailed`` if one cannot be opened.
    static func check(
        descriptors count: Int,
        openNext: () -> CInt = { open("/dev/null", O_RDONLY | O_CLOEXEC) }
    ) throws(TransportError) {
        var opened = [CInt]()
        defer { for descriptor in opened { _ = close(descriptor) } }
        for _ in 0..<count {
            let descriptor = openNext()
            guard descriptor >= 0 else {
                throw Self.shortage(of: count, errno, available: opened.count)
            }
            opened.append(descriptor)
        }
    }

    private static func shortage(of count: Int, _ code: CInt, available: Int) -> TransportError {
        let isLimit = code == EMFILE || code == ENFILE
        let fault = SystemError.text(of: code) + (isLimit ? "" : ", /dev/null")
        var error = TransportError(
            .connectFailed,
            phase: .connect,
            reason: "the event loops need \(count) descriptors, and only \(available) can be opened (\(fault))"
                + (code == EMFILE ? "; raise the limit of the process (ulimit -n)" : "")
        )
        if isLimit { error.cause = .descriptorsExhausted }
        return error
    }
}

extension NIOTransport {
    /// The threads that an engine needs: those of the loops and of NIO's pool for files and certificates, one that
    /// looks a name up, and those of Swift's tasks.
    ///
    /// Some of the last may be running. libdispatch waits for ever for one that cannot be started, on the thread that
    /// resumes a task, which may be that of a loop.
    package static var requiredThreadCount: Int {
        NIOSingletons.groupLoopCountSuggestion + NIOSingletons.blockingPoolThreadCountSuggestion + 1
            + self.taskThreadCount
    }

    /// The threads of Swift's tasks: one for each processor.
    package static var taskThreadCount: Int { Swift.max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }
}
