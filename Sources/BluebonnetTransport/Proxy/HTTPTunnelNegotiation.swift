// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Asks an HTTP proxy for a tunnel with CONNECT (RFC 9110 section 9.3.6).
struct HTTPTunnelNegotiation: ProxyNegotiation {
    private let proxy: Proxy
    private let authority: String
    private var parser: HTTP1ResponseParser

    init(proxy: Proxy, origin: Origin, limits: Limits) {
        self.proxy = proxy
        self.authority = Authority.text(host: origin.host, port: origin.port)
        self.parser = HTTP1ResponseParser(limits: limits)
        self.parser.begin(method: .connect)
    }

    mutating func begin() -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeString("CONNECT \(self.authority) HTTP/1.1\r\nHost: \(self.authority)\r\n")
        self.proxy.writeFields(into: &buffer)
        buffer.writeStaticString("\r\n")
        return buffer
    }

    mutating func receive(_ buffer: inout ByteBuffer) throws(TransportError) -> ProxyNegotiationStep {
        while true {
            switch try self.next(&buffer) {
            case nil: return .needsMore
            case .informational: continue
            case .head(let head):
                // Whatever follows a refusal is a page for people; the connection is closed over it.
                if head.status.kind == .successful { return .done }
                throw self.refusal(head.status.code)
            case .body, .end: throw .proxyFailed(self.proxy, "sent a body without a head")
            }
        }
    }

    private mutating func next(_ buffer: inout ByteBuffer) throws(TransportError) -> HTTP1ResponseParser.Event? {
        do {
            return try self.parser.next(&buffer)
        } catch {
            throw .proxyFailed(self.proxy, "did not answer CONNECT as HTTP asks: \(error.reason)", underlying: error)
        }
    }

    private func refusal(_ status: Int) -> TransportError {
        // Some proxies say 401 to credentials that they do not accept; nobody else could have said it.
        if status == 407 || status == 401 { return .proxyAuthentication(self.proxy, status: status) }
        var error = TransportError.proxyFailed(
            self.proxy,
            "opened no tunnel to \(self.authority): it answered \(status)"
        )
        error.proxyStatus = status
        return error
    }
}
