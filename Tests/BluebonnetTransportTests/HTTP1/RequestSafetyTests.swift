// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHPACK
import Testing

@testable import BluebonnetTransport

/// Nothing that a caller, or a server's redirect, puts into a request can become a second one or another field.
@Suite struct RequestSafetyTests {
    static let origin = Origin(scheme: .http, host: "example.test")

    static let host = HTTPField.Name("Host") ?? .accept

    static func isRefused(_ change: (inout TransportRequest) -> Void) -> Bool {
        var request = TransportRequest(origin: Self.origin, target: "/")
        change(&request)
        do {
            try request.validate()
            return false
        } catch {
            return error.code == .invalidRequest
        }
    }

    static func character(_ byte: UInt8) -> String { String(UnicodeScalar(byte)) }

    static let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    @Test(arguments: UInt8.min...UInt8.max) func `every byte is let through only where it does no harm`(byte: UInt8) {
        let text = Self.character(byte)
        let isVisible = (0x21...0x7E).contains(byte)
        let inTarget = Self.isRefused { $0.target = "/a\(text)b" }
        #expect(inTarget == !(isVisible && byte != UInt8(ascii: "#")))
        let inHost = Self.isRefused { $0.origin.host = "a\(text)b" }
        #expect(inHost == !(isVisible && !"/?#@\\\"<>^`{|},".utf8.contains(byte)))
        let inHostField = Self.isRefused { $0.headers[Self.host] = "a\(text)b" }
        if !isVisible, byte != 0, byte != 0x0D, byte != 0x0A { #expect(inHostField) }
        // The types make sure of methods and names.
        #expect((HTTPRequest.Method("A\(text)B") != nil) == Self.token.contains(byte))
        #expect((HTTPField.Name("a\(text)b") != nil) == Self.token.contains(byte))
        let field = HTTPField(name: .accept, lenientValue: [0x61, byte, 0x62])
        // So does that of values; what would get past it is refused.
        let isSafe = field.withUnsafeBytesOfValue { value in !value.contains { [0, 0x0D, 0x0A].contains($0) } }
        #expect(Self.isRefused { $0.headers.append(field) } != isSafe)
        #expect(isSafe)
    }

    @Test(.bug(id: "F188"), arguments: [Int64.min, -1, 0, 1])
    func `a body has no negative length`(_ length: Int64) {
        let isRefused = Self.isRefused {
            $0.body = .reader(length: length, isReplayable: true) { RepeatingReader(remaining: length) }
        }
        #expect(isRefused == (length < 0))
    }

    static let refused: [(name: String, change: @Sendable (inout TransportRequest) -> Void)] = [
        ("an empty target", { $0.target = "" }),
        ("a target with an origin", { $0.target = "http://elsewhere.test/" }),
        ("a target without a path", { $0.target = "elsewhere.test:80" }),
        ("a request line in the target", { $0.target = "/ HTTP/1.1\r\nHost: elsewhere.test\r\n\r\nGET /" }),
        ("a fragment", { $0.target = "/a#b" }),
        ("a star that is no OPTIONS", { $0.target = "*" }),
        ("a tunnel", { $0.method = .connect }),
        ("a host with credentials", { $0.origin.host = "user@example.test" }),
        ("a host with a path", { $0.origin.host = "example.test/path" }),
        ("a host with a field", { $0.origin.host = "example.test\r\nX: y" }),
        ("a host with a fragment", { $0.origin.host = "elsewhere.test#" }),
        ("a host with a backslash", { $0.origin.host = "elsewhere.test\\" }),
        ("port 0", { $0.origin.port = 0 }),
        ("port 65536", { $0.origin.port = 65_536 }),
        (
            "two hosts",
            { request in
                for host in ["a.test", "b.test"] {
                    request.headers.append(HTTPField(name: Self.host, value: host))
                }
            }
        ),
        ("a host field with a space", { $0.headers[Self.host] = "a.test b.test" }),
        ("two hosts in one field", { $0.headers[Self.host] = "a.test,b.test" }),
    ]

    @Test(arguments: refused.indices) func `refuses what reads differently to different servers`(_ index: Int) {
        #expect(Self.isRefused(Self.refused[index].change), "\(Self.refused[index].name)")
    }

    @Test func `lets the star of OPTIONS and a host of its own through`() {
        #expect(
            !Self.isRefused { request in
                request.method = .options
                request.target = "*"
            }
        )
        #expect(!Self.isRefused { $0.headers[Self.host] = "[::1]:8080" })
    }

    @Test func `lengths and codings of the caller do not reach the wire`() throws {
        var request = TransportRequest(
            method: .post,
            origin: Self.origin,
            target: "/",
            body: .bytes(ByteBuffer(string: "ab"))
        )
        request.headers.append(HTTPField(name: .contentLength, value: "0"))
        request.headers.append(HTTPField(name: .contentLength, value: "99"))
        request.headers.append(HTTPField(name: .transferEncoding, value: "chunked"))
        let head = try HTTP1WireImage.head(of: request, over: NIOTransport.Configuration())
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.filter { $0.lowercased().hasPrefix("content-length") } == ["Content-Length: 2"])
        #expect(!lines.contains { $0.lowercased().hasPrefix("transfer-encoding") })
    }

    /// What is let through is one request line and as many fields as there should be, whatever is in them.
    @Test(.bug(id: "F254")) func `a request has one Cookie field`() throws {
        var request = TransportRequest(origin: Self.origin, target: "/")
        // Splits the value into fields, which HTTP/2 compresses better.
        request.headers[.cookie] = "a=1; b=2"
        request.headers.append(HTTPField(name: .cookie, value: "c=3"))
        var buffer = ByteBuffer()
        _ = HTTP1RequestEncoder.write(request, framing: .none, into: &buffer)
        let lines = String(buffer: buffer).split(separator: "\r\n")
        #expect(lines.filter { $0.lowercased().hasPrefix("cookie") } == ["Cookie: a=1; b=2; c=3"])
    }

    @Test(arguments: 0..<40) func `what is let through is one request`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        func text(_ random: inout SplitMix) -> String {
            let odd: [UInt8] = [0, 9, 10, 13, 32, 35, 47, 58, 64, 92, 127, 255]
            return String(
                decoding: (0..<random.below(6)).map { _ in
                    random.below(3) == 0 ? odd[random.below(odd.count)] : UInt8(97 + random.below(26))
                },
                as: UTF8.self
            )
        }
        var sent = 0
        for _ in 0..<300 {
            var request = TransportRequest(origin: Self.origin, target: "/" + text(&random))
            request.method = HTTPRequest.Method("M" + text(&random)) ?? .get
            request.origin.host = "h" + text(&random)
            for _ in 0..<random.below(3) {
                guard let name = HTTPField.Name("n" + text(&random)) else { continue }
                request.headers.append(HTTPField(name: name, lenientValue: Array(text(&random).utf8)))
            }
            guard let head = try? HTTP1WireImage.head(of: request, over: NIOTransport.Configuration()) else { continue }
            sent += 1
            #expect(head.suffix(4) == [13, 10, 13, 10])
            #expect(head.count { $0 == 13 } == request.headers.count + 3)
            #expect(head.count { $0 == 10 } == request.headers.count + 3)
            #expect(head.prefix { $0 != 13 }.count { $0 == 32 } == 2)
        }
        #expect(sent > 10)
    }

    static let trailers: [(name: String, value: [UInt8], isSafe: Bool)] = [
        ("x-sum", [0x61], true), ("x-sum", [], true), ("x-sum", [0xFF], true),
        ("content-length", [0x31], false), ("transfer-encoding", [0x31], false), ("host", [0x61], false),
        ("authorization", [0x61], false), ("cookie", [0x61], false), ("connection", [0x61], false),
        ("upgrade", [0x61], false), ("keep-alive", [0x61], false), ("http2-settings", [0x61], false),
        ("te", [0x61], false), ("trailer", [0x61], false), ("expect", [0x61], false),
        ("proxy-authorization", [0x61], false), ("proxy-connection", [0x61], false),
        ("proxy-authenticate", [0x61], false), ("proxy-authentication-info", [0x61], false),
    ]

    @Test(arguments: trailers.indices) func `trailers are held to the same`(_ index: Int) {
        let one = Self.trailers[index]
        var request = TransportRequest(origin: Self.origin, target: "/")
        request.trailers = {
            var fields = HTTPFields()
            if let name = HTTPField.Name(one.name) { fields.append(HTTPField(name: name, lenientValue: one.value)) }
            return fields
        }
        let fields = try? RequestTrailers.fields(of: request)
        #expect((fields != nil) == one.isSafe)
    }

    @Test(arguments: UInt8.min...UInt8.max) func `no byte of a trailer ends it`(byte: UInt8) throws {
        var request = TransportRequest(origin: Self.origin, target: "/")
        request.trailers = {
            var fields = HTTPFields()
            if let name = HTTPField.Name("x-sum") {
                fields.append(HTTPField(name: name, lenientValue: [0x61, byte, 0x62]))
            }
            return fields
        }
        var buffer = ByteBuffer()
        try RequestTrailers.writeEnd(of: request, into: &buffer)
        let bytes = Array(buffer.readableBytesView)
        #expect(bytes.suffix(4) == [13, 10, 13, 10])
        #expect(bytes.count { $0 == 13 } == 3 && bytes.count { $0 == 10 } == 3 && !bytes.contains(0))
    }

    /// What a person has typed, or an environment variable says, is one field of one CONNECT, or nothing.
    @Test(arguments: UInt8.min...UInt8.max) func `no byte of a proxy becomes a field of its own`(byte: UInt8) {
        let odd = "a\(Self.character(byte))b"
        let proxies = [
            Proxy(scheme: .http, host: odd, username: "u", password: "p"),
            Proxy(scheme: .http, host: "proxy.test", username: odd, password: "p"),
            Proxy(scheme: .http, host: "proxy.test", username: "u", password: odd),
        ]
        for proxy in proxies where (try? proxy.validate()) != nil {
            var connect = HTTPTunnelNegotiation(proxy: proxy, origin: Self.origin, limits: TransportLimits())
            let bytes = Array(connect.begin().readableBytesView)
            #expect(bytes.suffix(4) == [13, 10, 13, 10])
            #expect(bytes.count { $0 == 13 } == 4 && bytes.count { $0 == 10 } == 4 && !bytes.contains(0))
            #expect(bytes.prefix { $0 != 13 }.elementsEqual("CONNECT example.test:80 HTTP/1.1".utf8))
        }
    }

    /// The same on HTTP/2, where the pieces are counted: nothing of one becomes another, and what is between two hops stays here.
    @Test(arguments: 0..<20) func `what is let through on HTTP2 is what was said`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let names = [
            "accept", "connection", "upgrade", "keep-alive", "te", "transfer-encoding", "content-length",
            "http2-settings",
            "proxy-authorization", "proxy-connection", "x-sent",
        ]
        var (encoder, sent) = (BluebonnetTransport.HPACKEncoder(), 0)
        var decoder = NIOHPACK.HPACKDecoder(allocator: ByteBufferAllocator())
        for _ in 0..<200 {
            var request = TransportRequest(origin: Self.origin, target: "/" + Self.character(UInt8(random.below(256))))
            request.allowsUpgrade = random.below(2) == 0
            for _ in 0..<random.below(5) {
                guard let name = HTTPField.Name(names[random.below(names.count)]) else { continue }
                let value = (0..<random.below(4)).map { _ in UInt8(random.below(128)) }
                request.headers.append(HTTPField(name: name, lenientValue: value))
            }
            guard (try? request.validate()) != nil else { continue }
            sent += 1
            var block = HTTP2RequestHead.encode(request, framing: .none, with: &encoder)
            let fields = try decoder.decodeHeaders(from: &block)
            #expect(fields.prefix(4).map(\.name) == [":method", ":scheme", ":authority", ":path"])
            #expect(fields.first(name: ":path") == request.target)
            let rest = fields.dropFirst(4).map { "\($0.name): \($0.value)" }
            let expected = request.headers.filter { ["accept", "x-sent"].contains($0.name.canonicalName) }
            #expect(rest == expected.map { "\($0.name.canonicalName): \($0.value)" })
            #expect(!rest.contains { $0.utf8.contains { [0, 10, 13].contains($0) } })
        }
        #expect(sent > 10)
    }

    @Test(arguments: [
        ("", 80), ("a b", 80), ("a\r\nX: y", 80), ("a/b", 80), ("a@b", 80), ("a", 0), ("a", 65_536), ("a", -1),
    ])
    func `nothing is connected early to what can be no origin`(_ host: String, _ port: Int) async throws {
        for proxy in [ProxyConfiguration.direct, .fixed(Proxy(scheme: .http, host: "127.0.0.1", port: 9))] {
            var configuration = NIOTransport.Configuration()
            configuration.proxy = proxy
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: .https, host: host, port: port)
            let error = await #expect(throws: TransportError.self) { try await transport.warmUp(origin) }
            #expect(error?.code == .invalidRequest)
            #expect(transport.statistics == NIOTransport.Statistics(counters: PoolCounters()))
            await transport.shutdown()
        }
    }

    @Test(arguments: [NIOTransport.HTTPVersions.http1, .http2])
    func `no connection is made for a request that cannot be sent`(_ versions: NIOTransport.HTTPVersions) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.httpVersions = versions
        let transport = NIOTransport(configuration: configuration)
        for one in Self.refused {
            var request = TransportRequest(origin: Origin(scheme: .http, host: "127.0.0.1", port: 9), target: "/")
            one.change(&request)
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == .invalidRequest, "\(one.name)")
            #expect(error?.isRequestSent == false)
        }
        #expect(transport.statistics == NIOTransport.Statistics(counters: PoolCounters()))
        await transport.shutdown()
    }
}
