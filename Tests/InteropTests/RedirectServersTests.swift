// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import Foundation
import HTTPTypes
import Testing

/// Redirects, and the cookies that are set on their way, of nginx, Apache httpd and httpbin.
@Suite(.timeLimit(.minutes(1)))
struct RedirectServersTests {
    /// A session with a jar and an engine of its own.
    private static func withJar(
        _ kind: ExternalServer.Kind,
        usesHTTP2: Bool = false,
        _ body: (HTTPSession, CookieJar, ExternalServer) async throws -> Void
    ) async throws {
        try await ExternalServer.run(kind) { server in
            var configuration = Session.Configuration()
            let jar = CookieJar()
            configuration.cookies = jar
            configuration.engine = NIOTransport.Configuration()
            configuration.engine?.proxy = .direct
            if usesHTTP2 { configuration.httpVersions = .http2 }
            let base = try #require(usesHTTP2 ? server.http2 : server.http)
            let http = HTTPSession(baseURL: base, configuration: configuration)
            do {
                try await body(http, jar, server)
            } catch {
                await http.session.shutdown()
                throw error
            }
            await http.session.shutdown()
        }
    }

    // MARK: nginx and httpd

    @Test(arguments: [ExternalServer.Kind.nginx, .apache], [301, 302, 303, 307, 308])
    func `every status of a redirect is followed`(_ kind: ExternalServer.Kind, _ status: Int) async throws {
        try await Self.withJar(kind) { http, _, server in
            try server.write(Data("hello".utf8), as: "hello.txt")
            for method in [HTTPRequest.Method.get, .head] {
                let response = try await http.prepare(method, "status/\(status)").response()
                #expect(response.status == .ok && response.url?.path() == "/hello.txt")
                #expect(response.history.map(\.status.code) == [status])
                #expect(response.body == Data((method == .head ? "" : "hello").utf8))
            }
            // These keep their method and body; nginx refuses them for a file, httpd does not.
            let post = try http.prepare(.post, "status/\(status)", body: .data(Data("x".utf8))).request
            let response = try await http.session.response(for: post)
            #expect(response.status.code == (status < 304 || kind == .apache ? 200 : 405))
            #expect(response.history.map(\.status.code) == [status])
        }
    }

    @Test(arguments: [false, true])
    func `an upload of a file that is redirected arrives whole`(_ usesHTTP2: Bool) async throws {
        try await Self.withJar(.nginx, usesHTTP2: usesHTTP2) { http, _, server in
            let data = patternedData(count: 3_000_000)
            let file = try server.write(data, as: "source.bin")
            let response = try await http.put("moved/target.bin", body: .file(file))
            #expect(response.status == .created)
            #expect(response.history.map(\.status.code) == [308])
            #expect(try Data(contentsOf: server.files.appending(path: "upload/target.bin")) == data)
        }
    }

    @Test func `a redirect to itself ends after twenty`() async throws {
        try await Self.withJar(.nginx) { http, _, _ in
            let error = await #expect(throws: SessionError.self) { try await http.get("loop") }
            #expect(error?.code == .tooManyRedirects && error?.response?.history.count == 20)
        }
    }

    @Test(arguments: [ExternalServer.Kind.nginx, .apache])
    func `a cookie that a redirect sets is sent on the next hop`(_ kind: ExternalServer.Kind) async throws {
        try await Self.withJar(kind) { http, jar, server in
            try server.write(Data("hello".utf8), as: "hello.txt")
            let response = try await http.get("cookies/set")
            #expect(response.history.count == 1)
            let echo = response.headers[.xCookie] ?? String(decoding: response.body, as: UTF8.self)
            #expect(echo == "hop=1")
            #expect(jar.cookies.map(\.name) == ["hop"] && jar.cookies.first?.isHTTPOnly == true)
        }
    }

    // MARK: httpbin

    private struct Echo: Decodable {
        var form: [String: String]?
        var data: String?
        var headers: [String: String]?
        var cookies: [String: String]?
        var url: String?
    }

    @Test(arguments: ["redirect", "absolute-redirect", "relative-redirect"])
    func `chains of httpbin are followed to their end`(_ kind: String) async throws {
        try await Self.withJar(.httpbin) { http, _, _ in
            let response = try await http.get("\(kind)/7")
            #expect(response.status == .ok && response.history.count == 7)
            #expect(response.url?.path() == "/get")
        }
    }

    @Test(arguments: [(301, false), (302, false), (303, false), (307, true), (308, true)])
    func `httpbin gets the method and the body that the status asks for`(_ status: Int, _ isPost: Bool) async throws {
        try await Self.withJar(.httpbin) { http, _, _ in
            let echo = try await http.post(
                "redirect-to",
                query: ["url": isPost ? "/post" : "/get", "status_code": status],
                parameters: ["a": "b c"],
                as: Echo.self
            )
            #expect(echo.form == (isPost ? ["a": "b c"] : nil))
            #expect((echo.headers?["Content-Type"] != nil) == isPost)
        }
    }

    @Test func `cookies of httpbin are set, sent and removed on the hops of redirects`() async throws {
        try await Self.withJar(.httpbin) { http, jar, _ in
            var echo = try await http.get("cookies/set", query: ["a": "1", "b": "2"], as: Echo.self)
            #expect(echo.cookies == ["a": "1", "b": "2"])
            echo = try await http.get("cookies/delete", query: ["a": ""], as: Echo.self)
            #expect(echo.cookies == ["b": "2"])
            #expect(jar.cookies.map(\.name) == ["b"])
        }
    }

    // MARK: Digest of httpbin

    @Test(arguments: ["auth", "auth-int"], ["MD5", "SHA-256", "SHA-512"])
    func `httpbin accepts Digest with the hashes of RFC 7616`(_ quality: String, _ hash: String) async throws {
        try await ExternalServer.run(.httpbin) { server in
            for password in ["s3cret", "wrong"] {
                var configuration = Session.Configuration()
                configuration.authentication = .digest("ada", password)
                // httpbin keeps its count of nonces in a cookie.
                configuration.cookies = CookieJar()
                configuration.engine = NIOTransport.Configuration()
                configuration.engine?.proxy = .direct
                let http = HTTPSession(baseURL: server.http, configuration: configuration)
                // SHA-512 is no hash of RFC 7616, which has SHA-512/256: there is no answer to its challenge.
                let isKnown = hash != "SHA-512" && password == "s3cret"
                for _ in 0..<2 {
                    let request = try http.prepare(.get, "digest-auth/\(quality)/ada/s3cret/\(hash)").request
                    let response = try await http.session.response(for: request)
                    #expect(response.status == (isKnown ? .ok : .unauthorized))
                }
                await http.session.shutdown()
            }
        }
    }
}

extension HTTPField.Name {
    fileprivate static let xCookie = HTTPField.Name("X-Cookie") ?? .cookie
}
