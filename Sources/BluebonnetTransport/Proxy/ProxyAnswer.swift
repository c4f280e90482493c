// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The answer to a 407 (Proxy Authentication Required) response of a proxy, with which the same request can be sent
/// again.
///
/// The transport creates it from the user name and password of the ``Proxy``, and returns it in
/// ``TransportResponse/proxyAnswer``. To send the request again, set ``TransportRequest/proxyAnswer`` to it. It is sent
/// to that proxy only. The number of attempts is limited: a refused password is not tried again, and a request is
/// answered at most five times.
///
/// A proxy that offers Digest with `auth-int` only requires the answer to cover the body too. The transport hashes a
/// body in memory. It does not read any other body twice, so it refuses the answer to such a request with
/// ``TransportError/Code/invalidRequest``. A `Session` reads it.
public struct ProxyAnswer: Sendable {
    /// The scheme of an answer, with its Digest session.
    enum Method: Sendable {
        case basic
        case digest(DigestSession)
    }

    /// An answer that a proxy has refused; it is not sent again.
    enum Refusal: Hashable, Sendable {
        case basic
        case digest(realm: [UInt8])
    }

    /// Stored in one object, because every request and every response has room for an answer.
    private final class Content: Sendable {
        let proxy: Proxy
        let method: Method
        let refused: Set<Refusal>
        let count: Int

        init(proxy: Proxy, method: Method, refused: Set<Refusal>, count: Int) {
            self.proxy = proxy
            self.method = method
            self.refused = refused
            self.count = count
        }
    }

    private let content: Content

    /// The digest of the request's body, if the answer covers it.
    package var bodyDigest: String?

    init(_ method: Method, to proxy: Proxy, refused: Set<Refusal>, count: Int) {
        self.content = Content(proxy: proxy, method: method, refused: refused, count: count)
    }

    /// The proxy that is answered.
    public var proxy: Proxy { self.content.proxy }

    /// The scheme of the answer: Basic or Digest.
    public var scheme: AuthenticationScheme { self.method.scheme }

    /// The hash function for the body; nil if the answer does not cover the body.
    package var bodyHash: DigestAlgorithm.Hash? { self.method.session?.bodyHash }

    var method: Method { self.content.method }

    /// The refused answers to the same request.
    var refused: Set<Refusal> { self.content.refused }

    /// The number of challenges to the same request that were answered, including this one.
    var count: Int { self.content.count }
}

extension ProxyAnswer: CustomStringConvertible, CustomReflectable {
    /// The scheme and the proxy, without credentials.
    public var description: String { "an answer with \(self.scheme) to \(self.proxy)" }

    public var customMirror: Mirror { Mirror(self, children: ["answer": self.description]) }
}

extension ProxyAnswer.Method {
    var scheme: AuthenticationScheme {
        switch self {
        case .basic: .basic
        case .digest: .digest
        }
    }

    /// The Digest session; nil for Basic.
    var session: DigestSession? { if case .digest(let session) = self { session } else { nil } }

    /// The record of its refusal.
    var refusal: ProxyAnswer.Refusal {
        switch self {
        case .basic: .basic
        case .digest(let session): .digest(realm: Array(session.challenge.realm.utf8))
        }
    }
}

extension ProxyAnswer.Refusal {
    /// Creates the record of a refused answer to this challenge.
    init(_ candidate: ChallengeCandidate) {
        self = candidate.digest.map { .digest(realm: Array($0.realm.utf8)) } ?? .basic
    }
}

/// Proxy credentials in the form of the Proxy-Authorization field, and the values that verify the proxy's response.
final class ProxyAuthorization: Sendable {
    /// The value of the Proxy-Authorization field.
    let field: String
    let method: ProxyAnswer.Method
    /// The values that verify the proxy's own proof.
    let digest: DigestAnswer?
    /// The answer that the field contains; nil if it was sent without a challenge to its request.
    let answer: ProxyAnswer?

    /// Creates the credentials for one request.
    ///
    /// - Parameters:
    ///   - method: The scheme.
    ///   - proxy: The proxy, with user name and password.
    ///   - subject: The request, with its target as the proxy receives it.
    ///   - answer: The answer, if there was a challenge.
    init(
        _ method: ProxyAnswer.Method,
        for proxy: Proxy,
        _ subject: DigestAnswer.Subject,
        answering answer: ProxyAnswer?
    ) {
        let (user, password) = (proxy.username ?? "", proxy.password ?? "")
        self.method = method
        self.answer = answer
        switch method {
        case .basic:
            self.digest = nil
            self.field = "Basic \(Base64.encode("\(user):\(password)".utf8))"
        case .digest(let session):
            let digest = DigestAnswer(session, user: user, password: password, subject)
            self.digest = digest
            self.field = digest.field
        }
    }
}
