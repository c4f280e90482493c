// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread that waits until a descriptor is readable, and then calls a closure.
///
/// It is a separate thread because Swift tasks must not block, and an event loop would add a dependency on the whole
/// engine.
package final class DescriptorWatcher: Sendable {
    /// The end of a pipe, whose closing ends the thread; nil once it is closed.
    private let stopper: Mutex<CInt?>

    /// Starts watching.
    ///
    /// The result is nil if the system cannot create a pipe or a thread.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor; it must stay open as long as `onReadable` is retained.
    ///   - onReadable: Called on the thread when the descriptor is readable, and reads from it: it must be fast and
    ///     must not block. The thread ends when it returns false.
    package init?(_ descriptor: CInt, onReadable: @escaping @Sendable () -> Bool) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let loop = DescriptorLoop(descriptor: descriptor, stop: ends[0], onReadable: onReadable)
        self.stopper = Mutex(ends[1])
        guard loop.start() else {
            self.stop()
            return nil
        }
    }

    deinit { self.stop() }

    /// Ends the thread, without waiting for it.
    package func stop() {
        let end = self.stopper.withLock { $0.take() }
        if let end { close(end) }
    }
}

/// The loop of the thread, which owns it.
private final class DescriptorLoop: Sendable {
    private let descriptor: CInt
    private let stop: CInt
    private let onReadable: @Sendable () -> Bool

    init(descriptor: CInt, stop: CInt, onReadable: @escaping @Sendable () -> Bool) {
        (self.descriptor, self.stop, self.onReadable) = (descriptor, stop, onReadable)
    }

    deinit { close(self.stop) }

    /// Starts the thread; returns false if the system cannot create one.
    func start() -> Bool {
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        let owned = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread,
            &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<DescriptorLoop>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            owned.toOpaque()
        )
        if status != 0 { owned.release() }
        return status == 0
    }

    private func run() {
        // Signals are delivered to the program's own threads only.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var waiting = [
            pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: self.stop, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&waiting, nfds_t(waiting.count), -1)
            if count < 0, errno == EINTR { continue }
            // The other end of the pipe has been closed.
            guard count > 0, waiting[1].revents == 0 else { return }
            guard self.onReadable() else { return }
        }
    }
}
#endif
