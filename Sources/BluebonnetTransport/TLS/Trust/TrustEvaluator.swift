// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Decides whether a server may be talked to, once its certificates are known and before a byte of a request is sent.
///
/// The engine asks for each connection it makes over TLS, not for each request, and remembers the answer as long as the connection lasts:
/// connections are kept apart by ``identity``, so that one made under one trust never serves a request under another. Evaluators
/// are called from any task, many at a time. A conformer must not call back into the transport with the same evaluator, because that
/// would wait for itself.
///
/// Throwing refuses: the connection is closed and the exchange fails with ``TransportError/Code/untrustedCertificate``, the error in
/// ``TransportError/underlying``. Throw a ``TrustRefusal`` to give people a sentence. The time it takes counts towards
/// ``Timeouts/tlsHandshake``; when that is over, or the peer closes, the task it runs in is cancelled and its answer is not looked at.
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
    /// What the evaluator's word is worth; ``TrustMode/additional`` unless implemented.
    var mode: TrustMode { get }

    /// What tells two evaluators apart; of one that is `Hashable`, its value.
    ///
    /// Two with equal identities must accept the same servers: a connection that one has accepted serves requests under the other.
    var identity: TrustIdentity { get }

    /// Looks at a server.
    ///
    /// - Parameter server: The host and its certificates.
    /// - Throws: Whatever says why the server is refused; ``TrustRefusal`` carries a sentence.
    func evaluate(_ server: ServerTrust) async throws
}

extension TrustEvaluator {
    public var mode: TrustMode { .additional }
}

extension TrustEvaluator where Self: Hashable {
    public var identity: TrustIdentity { TrustIdentity(self) }
}

/// What the word of a ``TrustEvaluator`` is worth.
public enum TrustMode: Sendable, Hashable {
    /// The engine's own verification comes first, and the evaluator can only refuse more.
    ///
    /// The chain, the host and the strength of every key and signature have been verified when the evaluator is asked, and the certificates it is
    /// given are the path that was verified, from the leaf to the root. This is what pinning needs: a key that is merely *sent* by a
    /// server proves nothing.
    case additional

    /// As ``additional``, but the host is the evaluator's to check: the engine verifies the chain, and not whom it is for.
    ///
    /// **Anybody who has a certificate of any trusted authority, for any name, passes the engine then.**
    case additionalToChain

    /// **The evaluator alone decides.** The engine verifies nothing: neither chain nor host nor dates.
    ///
    /// The certificates are what the peer has sent, in its order; anybody can send anybody's certificates, and only the leaf's key is proven to be
    /// the peer's. For private roots of one's own kind use ``X509TrustEvaluator``, or ``TLSOptions/additionalRoots``, which need no such
    /// care.
    case replacing
}

/// What tells two evaluators apart; see ``TrustEvaluator/identity``.
public struct TrustIdentity: Hashable, Sendable {
    private let value: any Hashable & Sendable

    /// Creates the identity of an evaluator that behaves as a value does.
    ///
    /// - Parameter value: Everything that its verdict depends on; its type counts, too.
    public init(_ value: some Hashable & Sendable) {
        self.value = value
    }

    /// Creates an identity that is equal to no other.
    ///
    /// - Returns: The identity; keep it, because each call makes a new one and every connection would be made anew.
    public static func unique() -> TrustIdentity {
        TrustIdentity(UniqueToken())
    }

    public static func == (left: TrustIdentity, right: TrustIdentity) -> Bool {
        AnyHashable(left.value) == AnyHashable(right.value)
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
