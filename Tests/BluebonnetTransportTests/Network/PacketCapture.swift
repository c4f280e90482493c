// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The packets of IP on the loopback interface, as the system hands them to it (packet(7)).
///
/// Needs the right to open such a socket, which root has.
final class PacketCapture: Sendable {
    /// What the header of one packet says.
    struct Packet: Equatable {
        /// 4 or 6.
        var version: Int
        /// The field DS, with the two bits of explicit congestion notification.
        var differentiatedServices: UInt8
        var destinationPort: Int
    }

    /// Why nothing can be captured here; nil if it can.
    static let obstacle: String? =
        PacketCapture() == nil ? "no packet socket can be opened (it takes CAP_NET_RAW)" : nil

    /// `MSG_DONTWAIT`.
    private static let doNotWait: CInt = 0x40
    private let descriptor: CInt

    init?() {
        // ETH_P_ALL, in network order; without the header of the link.
        let everything = UInt16(3).bigEndian
        self.descriptor = socket(AF_PACKET, 2 | 0o2_000_000, CInt(everything))
        guard self.descriptor >= 0 else { return nil }
        // Others use the interface at the same time.
        var size: CInt = 16 * 1024 * 1024
        _ = setsockopt(self.descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, socklen_t(MemoryLayout<CInt>.size))
        // struct sockaddr_ll: the family, the protocol, the interface, and eight bytes about hardware.
        var address = [UInt8](repeating: 0, count: 20)
        address.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt16(AF_PACKET), as: UInt16.self)
            bytes.storeBytes(of: everything, toByteOffset: 2, as: UInt16.self)
            bytes.storeBytes(of: if_nametoindex("lo"), toByteOffset: 4, as: UInt32.self)
        }
        let status = address.withUnsafeBytes { bytes -> CInt in
            guard let base = bytes.baseAddress else { return -1 }
            return bind(self.descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard status == 0 else { return nil }
    }

    deinit { if self.descriptor >= 0 { close(self.descriptor) } }

    /// The packets of TCP for a port that have been sent since the last look.
    func packets(to port: Int) -> [Packet] {
        var packets = Set<[UInt8]>()
        var found = [Packet]()
        var buffer = [UInt8](repeating: 0, count: 96)
        while recv(self.descriptor, &buffer, buffer.count, Self.doNotWait) > 0 {
            // On loopback each packet is seen as it leaves and as it arrives.
            guard let packet = Self.packet(buffer), packet.destinationPort == port, packets.insert(buffer).inserted
            else {
                continue
            }
            found.append(packet)
        }
        return found
    }

    private static func packet(_ bytes: [UInt8]) -> Packet? {
        switch bytes[0] >> 4 {
        case 4 where bytes[9] == 6:
            let start = Int(bytes[0] & 15) * 4
            return Packet(
                version: 4,
                differentiatedServices: bytes[1],
                destinationPort: Self.port(bytes, at: start + 2)
            )
        case 6 where bytes[6] == 6:
            let field = bytes[0] << 4 | bytes[1] >> 4
            return Packet(version: 6, differentiatedServices: field, destinationPort: Self.port(bytes, at: 42))
        default: return nil
        }
    }

    private static func port(_ bytes: [UInt8], at offset: Int) -> Int {
        Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }
}
#endif
