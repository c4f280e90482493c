// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension NIOBSDSocket.Option {
    /// The idle time in seconds before the first keep-alive probe.
    static var keepAliveIdle: NIOBSDSocket.Option {
        #if canImport(Darwin)
        NIOBSDSocket.Option(rawValue: TCP_KEEPALIVE)
        #else
        NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)
        #endif
    }

    /// The seconds between keep-alive probes.
    static var keepAliveInterval: NIOBSDSocket.Option { NIOBSDSocket.Option(rawValue: TCP_KEEPINTVL) }

    /// The number of bytes not yet sent up to which the system takes more.
    static var unsentLowWaterMark: NIOBSDSocket.Option { NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT) }
}
