// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A server as a ``TrustEvaluator`` sees it.
public struct ServerTrust: Sendable, Hashable {
    /// The host of the origin: a name in lower case, or an IP address without brackets.
    ///
    /// It does not depend on a proxy or a resolver.
    public var host: String

    /// The port of the origin.
    public var port: Int

    /// The certificates in DER (RFC 5280), the leaf first.
    ///
    /// Their meaning depends on ``isVerified``. There is at least one, and together they have at most 100 KiB: a server
    /// that sends more is refused before an evaluator is called.
    public var certificates: [[UInt8]]

    /// Whether the certificates are the verified path up to a trusted root, rather than the chain that the server sent.
    public var isVerified: Bool

    /// Creates a value, for tests of an evaluator.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - port: The port.
    ///   - certificates: The certificates in DER, the leaf first.
    ///   - isVerified: Whether they have been verified.
    public init(host: String, port: Int = 443, certificates: [[UInt8]], isVerified: Bool) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.isVerified = isVerified
    }
}

/// The error that a ``TrustEvaluator`` throws to refuse a server with a reason for people.
public struct TrustRefusal: Error, Sendable, CustomStringConvertible {
    /// One sentence: what is wrong with the server's certificates.
    public var reason: String

    /// The code of the fault for programs, which becomes ``TransportError/certificateFault``; nil if none applies.
    public var fault: CertificateFault?

    /// The underlying error.
    public var underlying: (any Error)?

    public var description: String { self.reason }

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - reason: One sentence, without a full stop.
    ///   - fault: The code of the fault for programs.
    ///   - underlying: The underlying error.
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
