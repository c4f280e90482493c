// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
package import BluebonnetFiles
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A socket to the kernel's routing tables (rtnetlink(7)); it has one owner at a time.
package final class NetlinkSocket: Sendable {
    /// The multicast groups of the kernel (`RTMGRP_…`): links, addresses and routes of both families.
    package static let allGroups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    /// The file descriptor.
    package let descriptor: CInt

    /// Opens a socket.
    ///
    /// - Parameter groups: The multicast groups to join; none unless given.
    /// - Throws: `SystemError` if the system does not permit it, or has no descriptor left.
    package init(groups: UInt32 = 0) throws(SystemError) {
        // AF_NETLINK, SOCK_RAW with SOCK_CLOEXEC, NETLINK_ROUTE.
        self.descriptor = socket(16, 3 | 0o2_000_000, 0)
        guard self.descriptor >= 0 else { throw SystemError(.open, errno) }
        // A timeout, in case the kernel does not answer.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        _ = setsockopt(
            self.descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
        // struct sockaddr_nl: the family, two bytes of padding, the port ID, which the kernel chooses, and the groups.
        var address = [UInt8]()
        address.append(number: UInt16(16))
        address.append(number: UInt16(0))
        address.append(number: UInt32(0))
        address.append(number: groups)
        let status = address.withUnsafeBytes { bytes -> CInt in
            guard let base = bytes.baseAddress else { return -1 }
            return bind(self.descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        // The descriptor is closed by deinit, which runs because all properties are initialized.
        guard status == 0 else { throw SystemError(.open, errno) }
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }

    /// Sends a request to the kernel and waits for the answer.
    ///
    /// - Parameter request: The request.
    /// - Returns: The answer, which may be a message of the kind ``NetlinkMessage/Kind/error``; nil if there is none.
    package func ask(_ request: NetlinkMessage) -> NetlinkMessage? {
        var request = request
        request.sequence = Self.nextSequence()
        let bytes = request.encoded
        // A socket that is not connected sends to the kernel.
        guard bytes.withUnsafeBytes({ send(self.descriptor, $0.baseAddress, $0.count, 0) }) == bytes.count else {
            return nil
        }
        // Late answers to earlier requests come first; there are only a few.
        for _ in 0..<16 {
            guard case .datagram(let datagram) = self.receive(waits: true) else { return nil }
            let answer = NetlinkMessage.messages(in: datagram[...]).first { $0.sequence == request.sequence }
            if let answer { return answer }
        }
        return nil
    }

    /// The result of a read.
    package enum Received: Equatable {
        /// A datagram from the kernel.
        case datagram([UInt8])
        /// A datagram from another process: any process may send to the socket.
        case foreign
        /// The receive buffer overflowed, and messages were lost.
        case overrun
        /// No datagram is available.
        case nothing
        /// The socket can no longer be used.
        case failed
    }

    /// Receives one datagram.
    ///
    /// - Parameter waits: Whether to wait for one, for one second at most.
    /// - Returns: The result.
    package func receive(waits: Bool) -> Received {
        var buffer = [UInt8](repeating: 0, count: 32 * 1024)
        var sender = [UInt8](repeating: 0, count: 12)
        var length = socklen_t(sender.count)
        let count = buffer.withUnsafeMutableBytes { buffer in
            sender.withUnsafeMutableBytes { sender -> Int in
                guard let base = sender.baseAddress else { return -1 }
                let flags = CInt(waits ? 0 : Self.doNotWait)
                let address = base.assumingMemoryBound(to: sockaddr.self)
                return recvfrom(self.descriptor, buffer.baseAddress, buffer.count, flags, address, &length)
            }
        }
        guard count >= 0 else {
            switch errno {
            case ENOBUFS: return .overrun
            case EAGAIN, EINTR: return .nothing
            default: return .failed
            }
        }
        // The kernel's port ID is 0.
        guard NetlinkBytes(sender[...]).number(UInt32.self, at: 4) == 0 else { return .foreign }
        return .datagram(Array(buffer.prefix(count)))
    }

    /// `MSG_DONTWAIT`.
    private static let doNotWait = 0x40
    private static let lastSequence = Atomic<UInt32>(0)

    private static func nextSequence() -> UInt32 {
        self.lastSequence.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
#endif
