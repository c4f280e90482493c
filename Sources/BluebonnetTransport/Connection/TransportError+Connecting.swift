// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Conversion of errors of name lookup and of connecting.
extension TransportError {
    /// Creates an error from that of a resolver.
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

    /// No socket could be bound to the local address.
    init(binding local: String, to endpoint: Endpoint, _ error: TransportError) {
        self.init(
            .connectFailed,
            phase: .connect,
            reason: "\(endpoint) cannot be reached: the local address \(local) is not one of this machine",
            underlying: error.underlying
        )
    }

    static func otherFamily(host: String, local: String) -> TransportError {
        TransportError(
            .connectFailed,
            phase: .connect,
            reason: "the host \(host) has no address of the same family as the local address \(local)"
        )
    }

    /// Creates an error from those of all addresses of an endpoint.
    init(connecting error: AddressFailures, to endpoint: Endpoint) {
        self.init(
            .connectFailed,
            phase: .connect,
            reason: "\(endpoint) cannot be reached: \(Self.words(ofConnecting: error))",
            underlying: error.failures.count == 1 ? error.failures[0].error : error
        )
        self.cause =
            if case .unixSocket = endpoint { .unixSocketUnreachable } else { Self.cause(ofConnecting: error) }
    }

    static func lateConnecting(to endpoint: Endpoint, limit: Duration) -> TransportError {
        TransportError(.timedOut, phase: .connect, reason: "connecting to \(endpoint) took longer than \(limit)")
    }

    /// Another address connected first.
    static func overtaken(_ address: SocketAddress) -> TransportError {
        TransportError(
            .connectFailed,
            phase: .connect,
            reason: "another address answered before \(Self.text(address))"
        )
    }

    static func unusablePath(_ endpoint: Endpoint, _ error: any Error) -> TransportError {
        var failure = TransportError(
            .connectFailed,
            phase: .connect,
            reason: "\(endpoint) cannot be reached: \(error)",
            underlying: error
        )
        failure.cause = .unixSocketUnreachable
        return failure
    }

    /// The system's error text; for several addresses, that of each.
    private static func words(ofConnecting error: AddressFailures) -> String {
        let all = error.failures.map { (text: Self.words(of: $0.error), address: $0.address) }
        if Set(all.map(\.text)).count == 1 { return all[0].text }
        return all.prefix(4).map { "\($0.text) (\(Self.text($0.address)))" }.joined(separator: ", ")
    }

    /// A shortage of descriptors, which every address of the host has met.
    private static func cause(ofConnecting error: AddressFailures) -> Cause? {
        let hasShortage = error.failures.allSatisfy { failure in
            [EMFILE, ENFILE].contains((failure.error as? IOError)?.errnoCode)
        }
        return hasShortage ? .descriptorsExhausted : nil
    }

    private static func words(of error: any Error) -> String {
        if let error = error as? IOError { SystemError.text(of: error.errnoCode) } else { "\(error)" }
    }

    /// Returns an address with its port, for example `[::1]:8080`.
    static func text(_ address: SocketAddress) -> String {
        guard let ip = address.ipAddress, let port = address.port else { return "\(address)" }
        return Authority.text(host: ip, port: port)
    }
}
