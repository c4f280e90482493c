// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension NetworkChanges {
    /// The kernel's notifications of links, addresses and routes; none on systems other than Linux.
    package static var system: NetworkChanges {
        NetworkChanges {
            #if os(Linux)
            guard let socket = try? NetlinkSocket(groups: NetlinkSocket.allGroups) else { return nil }
            // A duplicate, because the socket closes its own descriptor.
            let descriptor = withExtendedLifetime(socket) { fcntl($0.descriptor, F_DUPFD_CLOEXEC, 0) }
            return descriptor < 0 ? nil : descriptor
            #else
            return nil
            #endif
        }
    }

    static func closeDescriptor(_ descriptor: CInt) {
        #if canImport(Glibc)
        _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
        _ = Musl.close(descriptor)
        #elseif canImport(Darwin)
        _ = Darwin.close(descriptor)
        #endif
    }
}
