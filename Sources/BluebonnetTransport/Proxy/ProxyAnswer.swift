// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The answer to a proxy that has refused a request with 407 (Proxy Authentication Required), for the same request to be sent again with it.
///
/// The transport makes it from the user name and the password of the ``Proxy``, and puts it into ``TransportResponse/proxyAnswer``. Whoever
/// sends the request again puts it into ``TransportRequest/proxyAnswer``. It goes to that proxy and to nobody else, and it ends: a
/// password that is refused is not tried again, and a request is answered five times at most.
///
/// A proxy that offers Digest with `auth-int` alone wants the body covered as well. The transport hashes a body that is in memory; one that
/// is read from somewhere it does not read twice, and the answer to such a request is refused with
/// ``TransportError/Code/invalidRequest``. A `Session` reads it.
public struct ProxyAnswer: Sendable {
    /// How an identity is proved.
    enum Method: Sendable {
        case basic
        case digest(DigestSession)
    }

    /// What a proxy has refused; the same is never sent twice.
    enum Refusal: Hashable, Sendable {
        case basic
        case digest(realm: [UInt8])
    }

    /// In one object: every request and every response has room for an answer.
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

    /// The digest of the request's body, where the answer covers it.
    package var bodyDigest: String?

    init(_ method: Method, to proxy: Proxy, refused: Set<Refusal>, count: Int) {
        self.content = Content(proxy: proxy, method: method, refused: refused, count: count)
    }

    /// The proxy that is answered.
    public var proxy: Proxy { self.content.proxy }

    /// The scheme of the answer: Basic or Digest.
    public var scheme: AuthenticationScheme { self.method.scheme }

    /// What the digest of the body is made with; nil where the answer does not cover the body.
    package var bodyHash: DigestAlgorithm.Hash? { self.method.session?.bodyHash }

    var method: Method { self.content.method }

    /// What was refused of the same request before.
    var refused: Set<Refusal> { self.content.refused }

    /// The challenges to the same request that were answered, this one included.
    var count: Int { self.content.count }
}

extension ProxyAnswer: CustomStringConvertible, CustomReflectable {
    /// The scheme and the proxy; never credentials.
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

    /// The session of Digest, if it is that.
    var session: DigestSession? { if case .digest(let session) = self { session } else { nil } }

    /// What is noted when it is refused.
    var refusal: ProxyAnswer.Refusal {
        switch self {
        case .basic: .basic
        case .digest(let session): .digest(realm: Array(session.challenge.realm.utf8))
        }
    }
}

extension ProxyAnswer.Refusal {
    /// What would be noted if the answer to a challenge were refused.
    init(_ candidate: ChallengeCandidate) {
        self = candidate.digest.map { .digest(realm: Array($0.realm.utf8)) } ?? .basic
    }
}

/// Credentials for a proxy in the form of the Proxy-Authorization field, and what the proxy's response to them is judged with.
final class ProxyAuthorization: Sendable {
    /// The value of the field.
    let field: String
    let method: ProxyAnswer.Method
    /// What the proxy's own proof is checked with.
    let digest: DigestAnswer?
    /// What it answers; nil where it was sent before a challenge to its request.
    let answer: ProxyAnswer?

    /// Creates the credentials for one request.
    ///
    /// - Parameters:
    ///   - method: How the identity is proved.
    ///   - proxy: The proxy, with user name and password.
    ///   - subject: The request, with its target as the proxy gets it.
    ///   - answer: What is answered, if there was a challenge.
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
