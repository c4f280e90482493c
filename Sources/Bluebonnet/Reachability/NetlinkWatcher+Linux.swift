// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import BluebonnetFiles
import BluebonnetTransport

/// A thread that waits for kernel messages about links, addresses and routes.
final class NetlinkWatcher: Sendable {
    private let watcher: DescriptorWatcher

    /// Starts watching.
    ///
    /// The result is nil if the system has no pipe or no thread at the moment.
    ///
    /// - Parameters:
    ///   - socket: A member of the groups of the kernel.
    ///   - onChange: Called on the thread after each change: it must be fast and must not block.
    init?(_ socket: NetlinkSocket, onChange: @escaping @Sendable () -> Void) {
        let watcher = DescriptorWatcher(socket.descriptor) { Self.drain(socket, onChange) }
        guard let watcher else { return nil }
        self.watcher = watcher
    }

    /// Ends the thread, without waiting for it.
    func stop() { self.watcher.stop() }

    /// Reads the pending messages; false if the socket can no longer be used.
    private static func drain(_ socket: NetlinkSocket, _ onChange: () -> Void) -> Bool {
        var isChange = false
        while true {
            switch socket.receive(waits: false) {
            case .datagram, .overrun: isChange = true
            case .foreign: break
            case .failed: return false
            case .nothing:
                if isChange { onChange() }
                return true
            }
        }
    }
}
#endif
