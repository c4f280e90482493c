// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Decides whether a server is trusted, after its certificates are known and before a byte of a request is sent.
///
/// The engine calls it for each TLS connection, not for each request, and the decision holds for the lifetime of the
/// connection. Connections are kept apart by ``identity``, so that one made under one trust never serves a request
/// under another. An evaluator is called from any task, and concurrently. A conformer must not use the transport with
/// the same evaluator, because that would deadlock.
///
/// Throwing an error refuses the server: the connection is closed and the exchange fails with
/// ``TransportError/Code/untrustedCertificate``, with the error in ``TransportError/underlying``. Throw a
/// ``TrustRefusal`` to give a reason for people. The time of the evaluation counts towards ``Timeouts/tlsHandshake``;
/// when that limit is exceeded, or the peer closes, its task is cancelled and its result ignored.
///
/// ```swift
/// struct KnownIssuer: TrustEvaluator, Hashable {
///     let rootDigest: [UInt8]
///
///     func evaluate(_ server: ServerTrust) async throws {
///         guard let root = server.certificates.last, digest(root) == self.rootDigest else {
///             throw TrustRefusal("the certificate of \(server.host) comes from an issuer that is not ours")
///         }
///     }
/// }
/// ```
public protocol TrustEvaluator: Sendable {
    /// The effect of the evaluator's decision; ``TrustMode/additional`` unless implemented.
    var mode: TrustMode { get }

    /// The identity that distinguishes evaluators; for a `Hashable` evaluator, its value.
    ///
    /// Two evaluators with equal identities must accept the same servers: a connection that one has accepted serves
    /// requests under the other.
    var identity: TrustIdentity { get }

    /// Evaluates a server.
    ///
    /// - Parameter server: The host and its certificates.
    /// - Throws: Any error, to refuse the server; ``TrustRefusal`` contains a reason for people.
    func evaluate(_ server: ServerTrust) async throws
}

extension TrustEvaluator {
    public var mode: TrustMode { .additional }
}

extension TrustEvaluator where Self: Hashable {
    public var identity: TrustIdentity { TrustIdentity(self) }
}

/// The effect of a ``TrustEvaluator``'s decision.
public enum TrustMode: Sendable, Hashable {
    /// The engine's own verification comes first, and the evaluator can only refuse more.
    ///
    /// The chain, the host and the strength of every key and signature are verified before the evaluator is called, and
    /// its certificates are the verified path, from the leaf to the root. Pinning requires this: a key that a server
    /// merely *sends* proves nothing.
    case additional

    /// As ``additional``, but the evaluator checks the host: the engine verifies the chain, and not whom it is for.
    ///
    /// **The engine then accepts any certificate of any trusted authority, for any name.**
    case additionalToChain

    /// **The evaluator alone decides.** The engine verifies nothing: neither chain nor host nor dates.
    ///
    /// The certificates are what the peer sent, in its order; anyone can send anyone's certificates, and only
    /// possession of the leaf's key is proven. For private roots use ``X509TrustEvaluator`` or
    /// ``TLSOptions/additionalRoots``, which need no such care.
    case replacing
}

/// The identity of a trust evaluator; see ``TrustEvaluator/identity``.
public struct TrustIdentity: Hashable, Sendable {
    private let value: any Hashable & Sendable

    /// Creates the identity of an evaluator that is defined by a value.
    ///
    /// Values of different types are never equal, not even numbers. Texts are equal as Swift compares them, whatever their
    /// Unicode normal form: use their bytes where that matters.
    ///
    /// - Parameter value: Everything that its decision depends on; its type counts, too.
    public init(_ value: some Hashable & Sendable) {
        self.value = value
    }

    /// Creates an identity that is equal to no other.
    ///
    /// - Returns: The identity; keep it: each call creates a new one, for which every connection would be made anew.
    public static func unique() -> TrustIdentity {
        TrustIdentity(UniqueToken())
    }

    public static func == (left: TrustIdentity, right: TrustIdentity) -> Bool {
        // AnyHashable makes numbers of different types equal.
        type(of: left.value) == type(of: right.value) && AnyHashable(left.value) == AnyHashable(right.value)
    }

    public func hash(into hasher: inout Hasher) {
        AnyHashable(self.value).hash(into: &hasher)
    }
}

private final class UniqueToken: Hashable, Sendable {
    static func == (left: UniqueToken, right: UniqueToken) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
