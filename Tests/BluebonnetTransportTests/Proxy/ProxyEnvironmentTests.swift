// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Testing

@testable import BluebonnetTransport

@Suite struct ProxyEnvironmentTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var variables: [String: String]
        var http: String?
        var https: String?
        var testDescription: String {
            self.variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }

        init(_ variables: [String: String], http: String? = nil, https: String? = nil) {
            self.variables = variables
            self.http = http
            self.https = https
        }
    }

    static let cases = [
        Case([:]),
        Case(["http_proxy": "a"], http: "http://a:80"),
        // What a CGI program is given for a request's field “Proxy”.
        Case(["HTTP_PROXY": "evil"]),
        Case(["HTTP_PROXY": "evil", "all_proxy": "b"], http: "http://b:80", https: "http://b:80"),
        Case(["https_proxy": "a"], https: "http://a:80"),
        Case(["HTTPS_PROXY": "a"], https: "http://a:80"),
        Case(["HTTPS_PROXY": "a", "https_proxy": "b"], https: "http://b:80"),
        Case(["all_proxy": "socks5h://a"], http: "socks5h://a:1080", https: "socks5h://a:1080"),
        Case(["ALL_PROXY": "a", "http_proxy": "b"], http: "http://b:80", https: "http://a:80"),
        Case(["http_proxy": "", "ALL_PROXY": "a", "https_proxy": ""], http: "http://a:80", https: "http://a:80"),
        Case(["http_proxy": "a", "https_proxy": "a", "no_proxy": "example.com"]),
        Case(["http_proxy": "a", "NO_PROXY": "EXAMPLE.com"]),
        Case(["http_proxy": "a", "NO_PROXY": "example.com", "no_proxy": "other"], http: "http://a:80"),
        Case(["http_proxy": "a", "https_proxy": "a", "no_proxy": "example.com:443"], http: "http://a:80"),
        Case(["http_proxy": "a", "no_proxy": "*"]),
        // What cannot be read does not matter to whom it is not for.
        Case(["http_proxy": "a", "https_proxy": "ftp://x", "no_proxy": "example.com"]),
        Case(["no_proxy": "10.0.0.0/99"]),
    ]

    @Test(arguments: cases) func `chooses a proxy as the variables say`(_ one: Case) throws {
        let environment = ProxyEnvironment(one.variables)
        let http = Origin(scheme: .http, host: "www.example.com")
        let https = Origin(scheme: .https, host: "www.example.com")
        #expect(try environment.proxy(for: http)?.description == one.http)
        #expect(try environment.proxy(for: https)?.description == one.https)
    }

    @Test(arguments: [
        (["http_proxy": "ftp://secret@x"], "http_proxy"), (["ALL_PROXY": "http://secret:1:2@"], "ALL_PROXY"),
        (["http_proxy": "http://secret@x", "no_proxy": "10.0.0.0/99"], "no_proxy"),
        (["http_proxy": "http://secret@x:0"], "http_proxy"),
    ])
    func `a variable that cannot be read fails the request, and is named`(
        _ variables: [String: String],
        _ name: String
    ) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .environment(variables)
        let transport = NIOTransport(configuration: configuration)
        // Were it sent directly, it would be refused there.
        let request = TransportRequest(origin: Origin(scheme: .http, host: "127.0.0.1", port: 1), target: "/")
        let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
        #expect(error?.code == .invalidProxy)
        #expect(error?.isRequestSent == false)
        #expect(error?.reason.contains(name) == true)
        #expect("\(String(describing: error))".contains("secret") == false)
    }

    @Test func `routes: the request before the transport, a Unix socket before a proxy`() throws {
        let a = Proxy(scheme: .http, host: "a")
        let b = Proxy(scheme: .socks5, host: "b")
        var configuration = NIOTransport.Configuration()
        func route(_ change: (inout TransportRequest) -> Void = { _ in }) throws -> Route {
            var request = TransportRequest(origin: Origin(scheme: .http, host: "example.com"), target: "/")
            change(&request)
            let process = ProxyEnvironment(["http_proxy": "c"])
            return try Router(configuration, process: process).route(for: request)
        }
        #expect(try route() == .forwarder(Proxy(scheme: .http, host: "c")))
        configuration.proxy = .direct
        #expect(try route() == .direct)
        #expect(try route { $0.proxy = .environment } == .forwarder(Proxy(scheme: .http, host: "c")))
        #expect(try route { $0.proxy = .environment([:]) } == .direct)
        configuration.proxy = .fixed(a, bypass: try ProxyBypass("other"))
        #expect(try route() == .forwarder(a))
        #expect(try route { $0.origin.host = "other" } == .direct)
        #expect(try route { $0.proxy = .fixed(b) } == .tunnel(b))
        #expect(try route { $0.proxy = ProxyConfiguration.direct } == .direct)
        #expect(try route { $0.unixSocketPath = "/x" } == .unixSocket(path: "/x"))
        #expect(try route { $0.origin.scheme = .https } == .tunnel(a))
        configuration.httpVersions = .http2
        #expect(try route() == .tunnel(a))
        configuration.unixSocketPath = "/y"
        #expect(try route() == .unixSocket(path: "/y"))
        #expect(try route { $0.unixSocketPath = "/x" } == .unixSocket(path: "/x"))
        #expect(try route { $0.proxy = .fixed(b) } == .tunnel(b))
    }

    @Test(.bug(id: "F366")) func `a request's proxy takes the place of the environment's`() throws {
        var request = TransportRequest(origin: Origin(scheme: .http, host: "example.com"), target: "/")
        let router = Router(NIOTransport.Configuration(), process: ProxyEnvironment(["http_proxy": "c"]))
        #expect(try router.route(for: request) == .forwarder(Proxy(scheme: .http, host: "c")))
        request.proxy = .direct
        #expect(try router.route(for: request) == .direct)
    }

    @Test func `a connection is not lent to another user of the same proxy`() {
        let origin = Origin(scheme: .http, host: "example.com")
        var keys = Set<PoolKey>()
        for user in [nil, "ada", "bob"] {
            keys.insert(PoolKey(origin: origin, route: .tunnel(Proxy(scheme: .http, host: "a", username: user))))
        }
        keys.insert(PoolKey(origin: origin, route: .direct))
        keys.insert(PoolKey(origin: origin, route: .unixSocket(path: "a")))
        #expect(keys.count == 5)
    }
}
