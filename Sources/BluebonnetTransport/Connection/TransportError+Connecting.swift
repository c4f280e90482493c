// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// Where errors of name lookup and of connecting become ours.
extension TransportError {
    /// An error of a resolver.
    init(resolving error: any Error, host: String) {
        if let error = error as? TransportError {
            self = error
        } else {
            self.init(
                .nameResolutionFailed,
                phase: .resolve,
                reason: "the resolver failed for the host \(host) with an error of type \(type(of: error))",
                underlying: error
            )
        }
    }

    static func noAddress(of host: String) -> TransportError {
        TransportError(
            .nameResolutionFailed,
            phase: .resolve,
            reason: "the host \(host) has no address; is the name right?"
        )
    }

    static func notALocalAddress(_ text: String) -> TransportError {
        TransportError(
            .connectFailed,
            phase: .connect,
            reason: "the local address “\(text)” is not an address; write for example 192.0.2.7"
        )
    }

    static func otherFamily(host: String, local: String) -> TransportError {
        TransportError(
            .connectFailed,
            phase: .connect,
            reason: "the host \(host) has no address of the same family as the local address \(local)"
        )
    }

    /// An error of connecting.
    init(connecting error: any Error, to endpoint: Endpoint, limit: Duration?) {
        switch error {
        case let error as TransportError:
            self = error
        case ChannelError.connectTimeout:
            self.init(
                .timedOut,
                phase: .connect,
                reason: "connecting to \(endpoint) took longer than \(limit ?? .zero)",
                underlying: error
            )
        default:
            self.init(
                .connectFailed,
                phase: .connect,
                reason: "\(endpoint) cannot be reached: \(Self.words(ofConnecting: error))",
                underlying: error
            )
        }
    }

    /// What the system says; of several addresses, what it says of each.
    private static func words(ofConnecting error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError where !error.connectionErrors.isEmpty:
            let all = error.connectionErrors.map { (text: Self.words(ofConnecting: $0.error), target: $0.target) }
            if Set(all.map(\.text)).count == 1 { return all[0].text }
            return all.prefix(4).map { "\($0.text) (\(Self.text($0.target)))" }.joined(separator: ", ")
        case let error as IOError:
            return Self.text(ofErrno: error.errnoCode)
        default:
            return "\(error)"
        }
    }

    /// An address with its port, for example `[::1]:8080`.
    static func text(_ address: SocketAddress) -> String {
        guard let ip = address.ipAddress, let port = address.port else { return "\(address)" }
        return Authority.text(host: ip, port: port)
    }
}
