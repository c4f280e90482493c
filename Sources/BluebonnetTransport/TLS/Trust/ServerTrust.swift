// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A server as a ``TrustEvaluator`` sees it.
public struct ServerTrust: Sendable, Hashable {
    /// The host that was asked for: a name in lower case, or an IP address without brackets.
    ///
    /// What a proxy or a resolver makes of it has no part in this.
    public var host: String

    /// The port that was asked for.
    public var port: Int

    /// The certificates in DER (RFC 5280), the server's own first.
    ///
    /// Their meaning depends on ``isVerified``. There is at least one, and all together have at most 100 KiB: a server that sends more is
    /// refused before anybody is asked.
    public var certificates: [[UInt8]]

    /// Whether the certificates are the path that has been verified, up to a root that is trusted, rather than what the peer has sent.
    public var isVerified: Bool

    /// Creates a value, for tests of an evaluator.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - port: The port.
    ///   - certificates: The certificates in DER, the server's own first.
    ///   - isVerified: Whether they have been verified.
    public init(host: String, port: Int = 443, certificates: [[UInt8]], isVerified: Bool) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.isVerified = isVerified
    }
}

/// What a ``TrustEvaluator`` throws to refuse a server with a sentence for people.
public struct TrustRefusal: Error, Sendable, CustomStringConvertible {
    /// One sentence: what is wrong with the server's certificates.
    public var reason: String

    /// The same for programs, as ``TransportError/certificateFault`` will say it; nil if it is nothing of that kind.
    public var fault: CertificateFault?

    /// The failure below this one.
    public var underlying: (any Error)?

    public var description: String { self.reason }

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - reason: One sentence, without a full stop.
    ///   - fault: The same for programs.
    ///   - underlying: The failure below this one.
    public init(_ reason: String, fault: CertificateFault? = nil, underlying: (any Error)? = nil) {
        self.reason = reason
        self.fault = fault
        self.underlying = underlying
    }
}

extension TrustRefusal: LocalizedError {
    /// The reason, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.reason }
}
