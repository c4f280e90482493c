// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BluebonnetTransport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread that waits for what the kernel tells of links, addresses and routes.
///
/// It has a thread of its own because Swift's tasks must not block, and an event loop would bring the whole engine along.
final class NetlinkWatcher: Sendable {
    /// The end of a pipe whose closing ends the thread; nil once it is closed.
    private let stopper: Mutex<CInt?>

    /// Starts to watch.
    ///
    /// The result is nil if the system gives no socket, pipe or thread.
    ///
    /// - Parameter onChange: Called on the thread after each change: it must be fast and must not block.
    init?(onChange: @escaping @Sendable () -> Void) {
        guard let socket = NetlinkSocket(groups: NetlinkSocket.allGroups) else { return nil }
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let loop = NetlinkLoop(socket: socket, stop: ends[0], onChange: onChange)
        self.stopper = Mutex(ends[1])
        guard loop.start() else {
            self.stop()
            return nil
        }
    }

    deinit { self.stop() }

    /// Ends the thread, without waiting for its end.
    func stop() {
        let end = self.stopper.withLock { $0.take() }
        if let end { close(end) }
    }
}

/// What the thread does; owned by the thread.
private final class NetlinkLoop: Sendable {
    private let socket: NetlinkSocket
    private let stop: CInt
    private let onChange: @Sendable () -> Void

    init(socket: NetlinkSocket, stop: CInt, onChange: @escaping @Sendable () -> Void) {
        (self.socket, self.stop, self.onChange) = (socket, stop, onChange)
    }

    deinit { close(self.stop) }

    /// Starts the thread; false if the system has none.
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
                Unmanaged<NetlinkLoop>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            owned.toOpaque()
        )
        if status != 0 { owned.release() }
        return status == 0
    }

    private func run() {
        // The program's signals are for the program's threads.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var waiting = [
            pollfd(fd: self.socket.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: self.stop, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&waiting, nfds_t(waiting.count), -1)
            if count < 0, errno == EINTR { continue }
            // The other end of the pipe was closed.
            guard count > 0, waiting[1].revents == 0 else { return }
            guard self.drain() else { return }
        }
    }

    /// Takes what has come; false if the socket cannot be used any more.
    private func drain() -> Bool {
        var isChange = false
        while true {
            switch self.socket.receive(waits: false) {
            case .datagram, .overrun: isChange = true
            case .foreign: break
            case .failed: return false
            case .nothing:
                if isChange { self.onChange() }
                return true
            }
        }
    }
}
#endif
