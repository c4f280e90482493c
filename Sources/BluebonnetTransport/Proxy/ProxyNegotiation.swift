// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// What is said to a proxy before the connection belongs to the origin: bytes in, bytes out, without input or output of its own.
///
/// Whatever is left in the buffer at the end was sent by the origin.
protocol ProxyNegotiation: Sendable {
    /// What to send first.
    mutating func begin() -> ByteBuffer

    /// Takes what has arrived.
    ///
    /// - Parameter buffer: The bytes received and not yet used; what is used is taken from its front.
    /// - Returns: What to do next; after ``ProxyNegotiationStep/send(_:)`` it has to be called again.
    /// - Throws: The proxy refuses, or does not speak its protocol.
    mutating func receive(_ buffer: inout ByteBuffer) throws(TransportError) -> ProxyNegotiationStep

    /// Whether it can go on over another connection to the proxy if this one ends now; false unless implemented.
    var survivesClose: Bool { get }
}

extension ProxyNegotiation {
    var survivesClose: Bool { false }
}

/// What a ``ProxyNegotiation`` wants next.
enum ProxyNegotiationStep: Equatable {
    case needsMore
    case send(ByteBuffer)
    /// The tunnel is open.
    case done
    /// It goes on over another connection to the proxy, where it begins again.
    case redial
}

/// What came of a ``ProxyNegotiation`` on one connection.
enum ProxyNegotiationOutcome<Negotiation: ProxyNegotiation>: Sendable {
    /// The connection is a tunnel to the origin.
    case open
    /// The negotiation goes on over another connection.
    case redial(Negotiation)
}

extension TransportError {
    /// The proxy did not open a tunnel; no byte of the request was sent.
    static func proxyFailed(_ proxy: Proxy, _ reason: String, underlying: (any Error)? = nil) -> TransportError {
        TransportError(.proxyFailed, phase: .connect, reason: "the proxy \(proxy) \(reason)", underlying: underlying)
    }

    /// The proxy wants credentials, or others than it was given.
    static func proxyAuthentication(_ proxy: Proxy, status: Int? = nil) -> TransportError {
        let given = proxy.username != nil || proxy.password != nil || !proxy.headers.isEmpty
        var error = TransportError(
            .proxyAuthenticationRequired,
            phase: .connect,
            reason: given
                ? "the proxy \(proxy) does not accept the credentials"
                : "the proxy \(proxy) wants credentials; give it a user name and a password"
        )
        error.proxyStatus = status
        return error
    }
}
