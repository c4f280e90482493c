// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// Authenticates to HTTP proxies: remembers what each proxy has accepted, and answers its challenges (RFC 9110 section
/// 11.7).
///
/// There is one per engine. The tunnels and the forwarded requests through one proxy share the nonce count.
final class ProxyAuthenticator: Sendable {
    /// What is known about one proxy.
    private struct Record {
        var proxy: Proxy
        /// The method that it has accepted, which is sent without a challenge from then on.
        var accepted: ProxyAnswer.Method?
        /// The session of the latest nonce.
        var latest: DigestSession?
        /// Whether it has offered Digest: Basic is not sent to it without a challenge any more.
        var asksForDigest = false
        /// Whether it has refused the last answer with Digest: Basic, which reveals the password, is not sent to it then.
        var refusesDigest = false
    }

    /// The maximum number of remembered proxies; beyond it, the oldest is forgotten.
    private static let largestRecordCount = 64

    /// The maximum number of answers to one request: a proxy may declare a nonce stale.
    private static let largestAnswerCount = 5

    private let records = Mutex<[Record]>([])

    // MARK: Sending

    /// Returns the credentials for a request; nil to send none.
    ///
    /// - Parameters:
    ///   - proxy: The proxy that the request is sent to.
    ///   - method: The method of the request.
    ///   - target: The request target as the proxy receives it: the authority form for CONNECT, otherwise the absolute
    ///     form.
    ///   - body: The body of the request.
    ///   - answer: The answer to the proxy's challenge to the same request, if there was one.
    /// - Returns: The credentials.
    /// - Throws: ``TransportError/Code/invalidRequest`` if an answer covers a body that the transport does not read
    ///   twice.
    func authorization(
        for proxy: Proxy,
        method: HTTPRequest.Method,
        target: String,
        body: TransportBody = .none,
        answering answer: ProxyAnswer? = nil
    ) throws(TransportError) -> ProxyAuthorization? {
        guard proxy.hasCredentials else { return nil }
        let answer = answer?.proxy == proxy ? answer : nil
        guard let credentials = answer?.method ?? self.unaskedMethod(for: proxy) else { return nil }
        var subject = DigestAnswer.Subject(method: method.rawValue, target: target)
        if let hash = credentials.session?.bodyHash {
            subject.bodyDigest = answer?.bodyDigest ?? body.digestInMemory(hash)
            if subject.bodyDigest == nil {
                // There was no challenge yet; the credentials are sent after one.
                guard answer != nil else { return nil }
                throw .bodyIsNotCovered(proxy)
            }
        }
        return ProxyAuthorization(credentials, for: proxy, subject, answering: answer)
    }

    /// Returns the method to use before a challenge.
    private func unaskedMethod(for proxy: Proxy) -> ProxyAnswer.Method? {
        let record = self.records.withLock { records in records.first { $0.proxy == proxy } }
        if let accepted = record?.accepted { return accepted }
        return proxy.authentication == .basicFirst && record?.asksForDigest != true ? .basic : nil
    }

    // MARK: The proxy's response

    /// Processes a 407 response.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - proxy: The proxy that sent it.
    ///   - authorization: The credentials of its request.
    /// - Returns: The answer to the strongest challenge that can be answered; nil if there is none.
    func answer(
        to fields: HTTPFields,
        from proxy: Proxy,
        after authorization: ProxyAuthorization?
    ) -> ProxyAnswer? {
        let challenges = HTTPChallenge.challenges(in: fields, .proxyAuthenticate)
        let refused = self.refused(authorization, by: proxy, challenges)
        let count = (authorization?.answer?.count ?? 0) + 1
        guard proxy.hasCredentials, count <= Self.largestAnswerCount else { return nil }
        let candidates = ChallengeCandidate.candidates(challenges).filter { Self.isAnswerable($0, by: proxy) }
        // A proxy that repeats the challenge for refused credentials has rejected the password. Basic is not used after
        // Digest, whether or not that was sent without a challenge.
        guard let best = candidates.first, !candidates.contains(where: { refused.contains(ProxyAnswer.Refusal($0)) }),
            best.digest != nil || refused.isEmpty && !self.hasRefusedDigest(proxy)
        else { return nil }
        let method = best.digest.map { .digest(self.session(for: $0, of: proxy)) } ?? ProxyAnswer.Method.basic
        return ProxyAnswer(method, to: proxy, refused: refused, count: count)
    }

    /// Processes a response other than 407: the proxy has accepted the credentials.
    ///
    /// - Returns: False if the proxy's proof that it knows the password is wrong (RFC 7615).
    func accept(_ fields: HTTPFields, from proxy: Proxy, to authorization: ProxyAuthorization) -> Bool {
        if let digest = authorization.digest, let field = fields[.proxyAuthenticationInfo],
            field.utf8.count <= ChallengeParser.largestByteCount
        {
            var parser = ChallengeParser(Array(field.utf8))
            let parameters = parser.parameters() ?? []
            guard digest.accepts(parameters, bodyDigest: { _ in nil }) else {
                self.forget(authorization.method, of: proxy)
                return false
            }
            if let nonce = parameters.first(where: { $0.name == "nextnonce" })?.value {
                authorization.method.session?.advance(to: nonce, after: digest.ticket)
            }
        }
        // An existing record is kept: it was accepted before, and its nonce count continues.
        self.change(proxy) { record in
            if record.accepted == nil { record.accepted = authorization.method }
            if authorization.digest != nil { record.refusesDigest = false }
        }
        return true
    }

    /// Returns the refused answers of a request, including the one just sent.
    private func refused(
        _ authorization: ProxyAuthorization?,
        by proxy: Proxy,
        _ challenges: [HTTPChallenge]
    ) -> Set<ProxyAnswer.Refusal> {
        guard let authorization else { return [] }
        self.forget(authorization.method, of: proxy)
        var refused = authorization.answer?.refused ?? []
        if let session = authorization.method.session {
            let isStale = challenges.contains { challenge in
                guard let digest = DigestChallenge(challenge) else { return false }
                return digest.isStale && digest.realm.utf8.elementsEqual(session.challenge.realm.utf8)
            }
            if isStale { return refused }
            self.change(proxy) { $0.refusesDigest = true }
            // A nonce that was sent without a challenge may be invalid without being declared stale: a restarted proxy
            // does not know it.
            if authorization.answer == nil { return refused }
        }
        refused.insert(authorization.method.refusal)
        return refused
    }

    /// The schemes of a 407 that asks for others than Basic and Digest; nil if it has no challenge, or one of these.
    static func unsupportedSchemes(in fields: HTTPFields) -> [AuthenticationScheme]? {
        let schemes = HTTPChallenge.challenges(in: fields, .proxyAuthenticate).map(\.scheme)
        guard !schemes.isEmpty, !schemes.contains(.basic), !schemes.contains(.digest) else { return nil }
        return schemes
    }

    /// Whether a challenge may be answered with a user name and a password.
    private static func isAnswerable(_ candidate: ChallengeCandidate, by proxy: Proxy) -> Bool {
        candidate.digest != nil || candidate.challenge.scheme == .basic && proxy.authentication != .digest
    }

    /// Returns the session of a nonce: requests under one nonce share one count.
    private func session(for challenge: DigestChallenge, of proxy: Proxy) -> DigestSession {
        self.change(proxy) { record in
            record.asksForDigest = true
            let session = DigestSession.answering(challenge, after: record.latest)
            record.latest = session
            return session
        }
    }

    // MARK: Records

    private func hasRefusedDigest(_ proxy: Proxy) -> Bool {
        self.records.withLock { records in records.first { $0.proxy == proxy }?.refusesDigest ?? false }
    }

    private func forget(_ method: ProxyAnswer.Method, of proxy: Proxy) {
        self.change(proxy) { record in
            switch (record.accepted, method) {
            case (.basic?, .basic): record.accepted = nil
            case (.digest(let accepted)?, .digest(let session)) where accepted === session: record.accepted = nil
            default: break
            }
        }
    }

    private func change<Result>(_ proxy: Proxy, _ body: (inout Record) -> Result) -> Result {
        self.records.withLock { records in
            if let index = records.firstIndex(where: { $0.proxy == proxy }) { return body(&records[index]) }
            if records.count >= Self.largestRecordCount { records.removeFirst() }
            var record = Record(proxy: proxy)
            defer { records.append(record) }
            return body(&record)
        }
    }
}
