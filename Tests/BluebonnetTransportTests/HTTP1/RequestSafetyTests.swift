// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
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
            try HTTP1RequestEncoder.validate(request)
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
