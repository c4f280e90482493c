// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import Testing

@testable import BluebonnetTransport

@Suite struct HTTPTunnelNegotiationTests {
    static let origin = Origin(scheme: .https, host: "example.com")

    static func negotiation(
        _ proxy: Proxy = Proxy(scheme: .http, host: "p"),
        origin: Origin = origin
    )
        -> HTTPTunnelNegotiation
    {
        HTTPTunnelNegotiation(proxy: proxy, origin: origin, limits: TransportLimits())
    }

    static func head(_ proxy: Proxy, origin: Origin = origin) -> String {
        var negotiation = Self.negotiation(proxy, origin: origin)
        return String(buffer: negotiation.begin())
    }

    @Test func `asks with host and port, and with credentials for the proxy`() throws {
        #expect(
            Self.head(Proxy(scheme: .http, host: "p"))
                == "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"
        )
        #expect(
            Self.head(Proxy(scheme: .http, host: "p"), origin: Origin(scheme: .https, host: "[::1]", port: 8443))
                == "CONNECT [::1]:8443 HTTP/1.1\r\nHost: [::1]:8443\r\n\r\n"
        )
        // RFC 6874 section 4.
        #expect(
            Self.head(Proxy(scheme: .http, host: "p"), origin: Origin(scheme: .https, host: "fe80::1%lo"))
                == "CONNECT [fe80::1]:443 HTTP/1.1\r\nHost: [fe80::1]:443\r\n\r\n"
        )
        // RFC 7617 section 2.
        var proxy = Proxy(scheme: .http, host: "p", username: "Aladdin", password: "open sesame")
        #expect(Self.head(proxy).contains("\r\nProxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"))
        proxy.headers[.proxyAuthorization] = "Bearer token"
        proxy.headers[.userAgent] = "x/1"
        let head = Self.head(proxy)
        #expect(head.contains("\r\nProxy-Authorization: Bearer token\r\nUser-Agent: x/1\r\n"))
        #expect(!head.contains("Basic"))
    }

    @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"])
    func `writes Basic credentials of every length`(_ text: String) {
        // RFC 4648 section 10.
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"][text.utf8.count]
        #expect(Base64.encode(text.utf8) == expected)
    }

    /// Feeds bytes in two pieces.
    static func receive(_ text: String, cut: Int? = nil) throws -> (isDone: Bool, rest: String) {
        var negotiation = Self.negotiation()
        _ = negotiation.begin()
        var buffer = ByteBuffer()
        let bytes = Array(text.utf8)
        for piece in [bytes[..<(cut ?? 0)], bytes[(cut ?? 0)...]] {
            buffer.writeBytes(piece)
            if try negotiation.receive(&buffer) == .done {
                // What comes later comes after the negotiation.
                if piece.endIndex < bytes.count { buffer.writeBytes(bytes[piece.endIndex...]) }
                return (true, String(buffer: buffer))
            }
        }
        return (false, String(buffer: buffer))
    }

    @Test(arguments: [
        "HTTP/1.1 200 Connection established\r\n\r\n",
        "HTTP/1.0 200 OK\r\nProxy-Agent: x\r\n\r\n",
        "HTTP/1.1 299\r\n\r\n",
        "HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        // RFC 9110 section 9.3.6: these say nothing here.
        "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
    ])
    func `a 2xx opens the tunnel, wherever the bytes are cut, and nothing after it is lost`(_ head: String) throws {
        for cut in 0...head.utf8.count + 4 {
            let (isDone, rest) = try Self.receive(head + "next", cut: cut)
            #expect(isDone && rest == "next", "cut at \(cut)")
        }
        for end in 0..<head.utf8.count {
            #expect(try !Self.receive(String(decoding: head.utf8.prefix(end), as: UTF8.self)).isDone, "\(end) bytes")
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 407 Auth\r\nProxy-Authenticate: Basic\r\n\r\n", 407),
        ("HTTP/1.1 401 Unauthorized\r\n\r\n", 401),
        ("HTTP/1.1 403 No\r\nContent-Length: 3\r\n\r\nno!", 403),
        ("HTTP/1.1 502 Bad\r\n\r\n", 502), ("HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n", 301),
        ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", 101),
    ])
    func `another status is a typed error with that status`(_ response: String, _ status: Int) throws {
        let error = try #require(throws: TransportError.self) { try Self.receive(response) }
        #expect(error.code == ([401, 407].contains(status) ? .proxyAuthenticationRequired : .proxyFailed))
        #expect(error.proxyStatus == status)
        #expect(!error.isRequestSent)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2p1\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "\r\n",
        "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 70_000),
        "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 300),
        String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 20),
        "HTTP/1.1 407 No\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ])
    func `what is not a response is a typed error`(_ response: String) throws {
        let error = try #require(throws: TransportError.self) { try Self.receive(response) }
        #expect(error.code == .proxyFailed)
        #expect(error.underlying is TransportError)
        #expect(!error.isRequestSent)
    }
}
