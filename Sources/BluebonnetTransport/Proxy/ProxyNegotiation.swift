// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// The dialogue with a proxy before the connection carries the origin's bytes, as a state machine without I/O.
///
/// Bytes left in the buffer at the end were sent by the origin.
protocol ProxyNegotiation: Sendable {
    /// Returns the first bytes to send.
    mutating func begin() -> ByteBuffer

    /// Processes received bytes.
    ///
    /// - Parameter buffer: The bytes received and not yet consumed; consumed bytes are removed from its front.
    /// - Returns: The next step; after ``ProxyNegotiationStep/send(_:)`` this must be called again.
    /// - Throws: An error if the proxy refuses or violates its protocol.
    mutating func receive(_ buffer: inout ByteBuffer) throws(TransportError) -> ProxyNegotiationStep

    /// Whether the negotiation can continue on another connection to the proxy if this one closes now; false unless
    /// implemented.
    var survivesClose: Bool { get }
}

extension ProxyNegotiation {
    var survivesClose: Bool { false }
}

/// The next step of a ``ProxyNegotiation``.
enum ProxyNegotiationStep: Equatable {
    case needsMore
    case send(ByteBuffer)
    /// The tunnel is open.
    case done
    /// The negotiation starts again on another connection to the proxy.
    case redial
}

/// The outcome of a ``ProxyNegotiation`` on one connection.
enum ProxyNegotiationOutcome<Negotiation: ProxyNegotiation>: Sendable {
    /// The connection is a tunnel to the origin.
    case open
    /// The negotiation continues on another connection.
    case redial(Negotiation)
}

extension TransportError {
    /// The proxy failed to open a tunnel; no byte of the request was sent.
    static func proxyFailed(_ proxy: Proxy, _ reason: String, underlying: (any Error)? = nil) -> TransportError {
        TransportError(.proxyFailed, phase: .connect, reason: "the proxy \(proxy) \(reason)", underlying: underlying)
    }

    /// The proxy requires credentials, or different ones.
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
        error.cause = given ? .proxyCredentialsRefused : .proxyCredentialsMissing
        return error
    }

    /// The proxy accepts none of the schemes that a user name and a password can be used with.
    static func proxySchemes(_ schemes: [AuthenticationScheme], of proxy: Proxy) -> TransportError {
        var error = TransportError(
            .proxyAuthenticationRequired,
            phase: .connect,
            reason: "the proxy \(proxy) accepts only authentication that is not supported: "
                + schemes.prefix(4).map(\.name).joined(separator: ", ")
        )
        error.proxyStatus = HTTPResponse.Status.proxyAuthenticationRequired.code
        error.cause = .proxySchemesUnsupported
        return error
    }
}
