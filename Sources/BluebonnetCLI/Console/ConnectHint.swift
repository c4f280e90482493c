// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What to try where no connection can be made.
enum ConnectHint {
    /// Returns what to try; empty where the reason says it.
    static func text(for error: SessionError) -> String {
        let failure = (error.underlying as? TransportError)?.underlying
        let code = (failure as? IOError)?.errnoCode
        switch error.cause {
        // The limit of the process does not help the system, and is in the reason where no call has failed.
        case .descriptorsExhausted?:
            return failure == nil || code == ENFILE ? "" : "raise the limit of open files (ulimit -n)"
        case .unixSocketUnreachable?: return Self.textForSocket(code)
        default: break
        }
        switch code {
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN: return "check the network and that the host is right"
        case EADDRNOTAVAIL: return "check that host and port are right"
        default: return "check that the server is running and that host and port are right"
        }
    }

    private static func textForSocket(_ code: CInt?) -> String {
        switch code {
        case ENOENT, ENOTDIR, ELOOP: "check the path given to --unix-socket"
        case EACCES, EPERM: "check the permissions of the socket and of its folders"
        case ECONNREFUSED: "check that the path is that of a socket and that its server is running"
        case EPROTOTYPE: "the path has to be that of a stream socket"
        default: ""
        }
    }
}
