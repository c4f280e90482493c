// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes
import NIOCore

/// Requests a tunnel from an HTTP proxy with CONNECT (RFC 9110 section 9.3.6), and answers its challenges (section
/// 11.7.1).
///
/// If the proxy keeps the connection after a 407, the next CONNECT is sent on it; otherwise on another connection.
struct HTTPTunnelNegotiation: ProxyNegotiation {
    private enum State {
        /// Waiting for the head of a response.
        case asked
        /// Discarding the body of a 407, of which this many bytes are still allowed.
        case discarding(left: Int)
    }

    /// The largest 407 body that is read in order to reuse the connection, in bytes.
    private static let largestDiscardedBody = 64 * 1024

    private let proxy: Proxy
    private let authority: String
    private let authenticator: ProxyAuthenticator
    /// Called with each challenge: the scheme of the answer; nil if there is none.
    private let onChallenge: (@Sendable (AuthenticationScheme?) -> Void)?
    private var parser: HTTP1ResponseParser
    private var state = State.asked
    /// The answer to the last challenge.
    private var answer: ProxyAnswer?
    /// The credentials of the last request.
    private var authorization: ProxyAuthorization?
    /// Whether CONNECT was repeated on the same connection and nothing has arrived since.
    private var isAskedAgain = false

    init(
        proxy: Proxy,
        origin: Origin,
        limits: TransportLimits,
        authenticator: ProxyAuthenticator = ProxyAuthenticator(),
        onChallenge: (@Sendable (AuthenticationScheme?) -> Void)? = nil
    ) {
        self.proxy = proxy
        self.authority = Authority.text(host: Authority.withoutZone(origin.host), port: origin.port)
        self.authenticator = authenticator
        self.onChallenge = onChallenge
        self.parser = HTTP1ResponseParser(limits: limits)
    }

    mutating func begin() -> ByteBuffer {
        self.parser.begin(method: .connect)
        self.state = .asked
        self.isAskedAgain = false
        // CONNECT has no body, so covering the body cannot fail.
        self.authorization = try? self.authenticator.authorization(
            for: self.proxy,
            method: .connect,
            target: self.authority,
            answering: self.answer
        )
        var buffer = ByteBuffer()
        buffer.writeString("CONNECT \(self.authority) HTTP/1.1\r\nHost: \(self.authority)\r\n")
        self.proxy.writeFields(self.authorization, into: &buffer)
        buffer.writeStaticString("\r\n")
        return buffer
    }

    mutating func receive(_ buffer: inout ByteBuffer) throws(TransportError) -> ProxyNegotiationStep {
        if buffer.readableBytes > 0 { self.isAskedAgain = false }
        while true {
            guard let event = try self.next(&buffer) else { return .needsMore }
            switch (event, self.state) {
            case (.informational, _): continue
            case (.head(let head), .asked): if let step = try self.judge(head) { return step }
            case (.body(let bytes), .discarding(let left)):
                guard bytes.readableBytes <= left else { return .redial }
                self.state = .discarding(left: left - bytes.readableBytes)
            case (.end, .discarding):
                let request = self.begin()
                self.isAskedAgain = true
                return .send(request)
            case (.head, .discarding), (.body, .asked), (.end, .asked):
                throw .proxyFailed(self.proxy, "sent a body without a head")
            }
        }
    }

    var survivesClose: Bool {
        // A proxy may close its connection although its 407 did not say so.
        if case .discarding = self.state { true } else { self.isAskedAgain }
    }

    private mutating func next(_ buffer: inout ByteBuffer) throws(TransportError) -> HTTP1ResponseParser.Event? {
        do {
            return try self.parser.next(&buffer)
        } catch {
            throw .proxyFailed(self.proxy, "did not answer CONNECT as HTTP asks: \(error.reason)", underlying: error)
        }
    }

    // MARK: The proxy's response

    /// Handles the head of a response.
    ///
    /// - Returns: The next step; nil to continue reading.
    private mutating func judge(_ head: ResponseHead) throws(TransportError) -> ProxyNegotiationStep? {
        if head.status.kind == .successful {
            guard let authorization else { return .done }
            guard self.authenticator.accept(head.headers, from: self.proxy, to: authorization) else {
                throw .unprovenProxy(self.proxy, phase: .connect)
            }
            return .done
        }
        // The body of any other refusal is for people; the connection is closed.
        guard head.status == .proxyAuthenticationRequired else { throw self.refusal(head.status.code) }
        let answer = self.authenticator.answer(to: head.headers, from: self.proxy, after: self.authorization)
        self.onChallenge?(answer?.scheme)
        guard let answer else {
            if self.proxy.headers.isEmpty, let schemes = ProxyAuthenticator.unsupportedSchemes(in: head.headers) {
                throw .proxySchemes(schemes, of: self.proxy)
            }
            throw self.refusal(head.status.code)
        }
        self.answer = answer
        guard self.parser.keepsConnection, !Self.closes(head), head.contentLength ?? 0 <= Self.largestDiscardedBody
        else { return .redial }
        self.state = .discarding(left: Self.largestDiscardedBody)
        return nil
    }

    /// Whether a proxy announces the close in the obsolete `Proxy-Connection` field.
    private static func closes(_ head: ResponseHead) -> Bool {
        HTTPField.Name("Proxy-Connection").flatMap { head.headers[$0] }?.listElements
            .contains { $0.isASCIIWord("close") } ?? false
    }

    private func refusal(_ status: Int) -> TransportError {
        // Some proxies respond with 401 to wrong credentials; the origin cannot have sent it.
        if status == 407 || status == 401 { return .proxyAuthentication(self.proxy, status: status) }
        var error = TransportError.proxyFailed(
            self.proxy,
            "opened no tunnel to \(self.authority): it answered \(status)"
        )
        error.proxyStatus = status
        return error
    }
}
