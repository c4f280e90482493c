// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BluebonnetFiles
import BluebonnetTransport
import Synchronization

/// One run of a ``SystemRouteProbe``: its sockets, and the timer after which it looks again.
///
/// A socket that cannot be opened because descriptors, memory or threads are short is opened later. One that the system
/// forbids is not: without the one socket the status stays unknown, without the other the first status is the last.
final class RouteWatch: Sendable {
    typealias OpenSocket = @Sendable (_ groups: UInt32) throws(SystemError) -> NetlinkSocket

    private struct State {
        var watcher: NetlinkWatcher?
        var isStopped = false
        /// The time until the next look.
        var delay = RouteWatch.firstDelay
        /// Owned by this object, which cancels it in ``stop()`` and before the next one.
        var timer: Task<Void, Never>?
    }

    private static let firstDelay = Duration.seconds(1)
    private static let longestDelay = Duration.seconds(30)

    /// The socket for requests; locked while it is used.
    private let socket = Mutex<NetlinkSocket?>(nil)
    private let state = Mutex(State())
    private let openSocket: OpenSocket
    private let clock: SessionClock
    private let onChange: @Sendable () -> Void

    /// Opens the sockets, in the network namespace of the calling thread.
    ///
    /// - Parameters:
    ///   - openSocket: Opens a socket that is a member of groups of the kernel.
    ///   - clock: The clock of the timer.
    ///   - onChange: Called after each change, and when the status is to be read again.
    init(openSocket: @escaping OpenSocket, clock: SessionClock, onChange: @escaping @Sendable () -> Void) {
        self.openSocket = openSocket
        self.clock = clock
        self.onChange = onChange
        _ = self.beginWatching()
        _ = self.status { _ in .unknown }
    }

    /// Ends the watcher and the timer, without waiting for them.
    func stop() {
        let (watcher, timer) = self.state.withLock { state in
            state.isStopped = true
            return (state.watcher.take(), state.timer.take())
        }
        watcher?.stop()
        timer?.cancel()
    }

    /// Opens what is missing, and reads the status; looks again after a delay if the status may change without a change
    /// in the kernel.
    ///
    /// - Parameters:
    ///   - isFinal: Whether the answer of the kernel stays right until the kernel reports a change.
    ///   - ask: Asks the kernel.
    /// - Returns: The status; unknown without a socket.
    func status(isFinal: Bool, _ ask: (NetlinkSocket) -> ReachabilityStatus) -> ReachabilityStatus {
        // First, so that no change after the answer is missed.
        let isWatching = self.beginWatching()
        let (status, isAnswered) = self.status(ask)
        self.scheduleLook(isFinal && isWatching && isAnswered)
        return status
    }

    /// Makes the watcher, unless there is one.
    ///
    /// - Returns: Whether there is one, or never will be.
    private func beginWatching() -> Bool {
        self.state.withLock { state in
            guard state.watcher == nil, !state.isStopped else { return true }
            do throws(SystemError) {
                let socket = try self.openSocket(NetlinkSocket.allGroups)
                state.watcher = NetlinkWatcher(socket) { [weak self] in self?.didChange() }
                return state.watcher != nil
            } catch {
                return !error.isShortage
            }
        }
    }

    /// Reads the status.
    ///
    /// - Returns: The status, and whether there is a socket, or never will be.
    private func status(_ ask: (NetlinkSocket) -> ReachabilityStatus) -> (ReachabilityStatus, Bool) {
        self.socket.withLock { socket in
            do throws(SystemError) {
                if let socket { return (ask(socket), true) }
                let opened = try self.openSocket(0)
                socket = opened
                return (ask(opened), true)
            } catch {
                return (.unknown, !error.isShortage)
            }
        }
    }

    private func didChange() {
        self.state.withLock { $0.delay = Self.firstDelay }
        self.onChange()
    }

    /// Schedules the next look, twice as late as the one before, unless the status is final.
    private func scheduleLook(_ isFinal: Bool) {
        let previous = self.state.withLock { state in
            let previous = state.timer.take()
            guard !isFinal, !state.isStopped else {
                state.delay = Self.firstDelay
                return previous
            }
            let delay = state.delay
            state.delay = Swift.min(delay * 2, Self.longestDelay)
            // `stop()` and the next look cancel it.
            state.timer = Task { [clock, onChange] in
                if (try? await clock.sleep(for: delay)) != nil { onChange() }
            }
            return previous
        }
        previous?.cancel()
    }
}
#endif
