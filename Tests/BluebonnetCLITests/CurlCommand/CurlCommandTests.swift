// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// Commands of curl, and the requests that the real program makes of them.
@Suite(.timeLimit(.minutes(1))) struct CurlCommandTests {
    /// A command of curl, and what the server must get.
    struct CurlCase: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var line: String
        var contains: [String] = []
        var lacks: [String] = []

        var testDescription: String { self.arguments.joined(separator: " ") }
    }

    static let curlCases = [
        CurlCase(arguments: ["localhost/a"], line: "GET /a HTTP/1.1"),
        CurlCase(arguments: ["-sSLI", "localhost/a"], line: "HEAD /a HTTP/1.1"),
        CurlCase(arguments: ["-sOiC", "-", "localhost/a"], line: "GET /a HTTP/1.1"),
        CurlCase(
            arguments: ["-X", "POST", "-H", "content-length: 0", "-H", "Transfer-Encoding:", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Content-Length: 0\r\n"],
            lacks: ["content-length", "Transfer-Encoding"]
        ),
        CurlCase(
            arguments: ["-d", "abc", "-H", "Content-Length: 99", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Content-Length: 3\r\n", "\r\n\r\nabc"]
        ),
        CurlCase(
            arguments: ["-H", "accept-encoding: gzip, deflate;q=0.5, sdch, *", "localhost"],
            line: "GET / HTTP/1.1",
            contains: ["accept-encoding: gzip, deflate;q=0.5\r\n"]
        ),
        CurlCase(
            arguments: ["-H", "Accept-Encoding: sdch", "localhost"],
            line: "GET / HTTP/1.1",
            contains: ["Accept-Encoding: identity\r\n"]
        ),
        CurlCase(
            arguments: ["-d", "a=1", "-d", "b=2", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Content-Type: application/x-www-form-urlencoded\r\n", "\r\n\r\na=1&b=2"]
        ),
        CurlCase(arguments: ["-G", "-d", "a=1", "localhost/x?y=2"], line: "GET /x?y=2&a=1 HTTP/1.1"),
        CurlCase(
            arguments: ["-XPATCH", "-H", "Content-Type: application/json", "--data-raw", "@x", "localhost"],
            line: "PATCH / HTTP/1.1",
            contains: ["Content-Type: application/json\r\n", "\r\n\r\n@x"]
        ),
        CurlCase(
            arguments: ["--json", "{}", "-u", "ada:secret", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Authorization: Basic YWRhOnNlY3JldA==", "Accept: application/json\r\n", "\r\n\r\n{}"]
        ),
        CurlCase(
            arguments: ["-H", "X-A: =1", "-H", "X-B;", "-A", "me/1", "-b", "c=d", "localhost"],
            line: "GET / HTTP/1.1",
            contains: ["X-A: =1\r\n", "X-B: \r\n", "User-Agent: me/1\r\n", "Cookie: c=d\r\n"]
        ),
        CurlCase(
            arguments: ["--data-urlencode", "q=a b&c", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["\r\n\r\nq=a+b%26c"]
        ),
        CurlCase(
            arguments: ["-F", "a:b=1", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["multipart/form-data; boundary=", "name=\"a:b\""]
        ),
        CurlCase(
            arguments: ["--url-query", "q=a b~&", "--url-query", "+raw=%20+", "--url-query", "=x", "localhost/y?z#f"],
            line: "GET /y?z&q=a+b~%26&raw=%20+&x HTTP/1.1"
        ),
        CurlCase(
            arguments: ["-c", "unwritten", "-b", "c=d", "localhost"],
            line: "GET / HTTP/1.1",
            contains: ["Cookie: c=d\r\n"]
        ),
        CurlCase(arguments: ["-d", "", "localhost"], line: "POST / HTTP/1.1", contains: ["Content-Length: 0\r\n"]),
        CurlCase(arguments: ["-d", "a", "localhost"], line: "POST / HTTP/1.1", contains: ["Accept: */*\r\n"]),
        CurlCase(
            arguments: ["--json", "{}", "--json", "[]", "-H", "content-type: a/b", "-H", "Accept: c/d", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["content-type: a/b\r\n", "Accept: c/d\r\n", "\r\n\r\n{}[]"],
            lacks: ["application/json"]
        ),
        CurlCase(
            arguments: ["-b", "a=1", "-b", "b=2", "-H", #"X-P: \=a"#, "localhost"],
            line: "GET / HTTP/1.1",
            contains: ["Cookie: a=1;b=2\r\n", #"X-P: \=a"#]
        ),
        CurlCase(arguments: ["-G", "-d", "a=1", "localhost/x#f"], line: "GET /x?a=1 HTTP/1.1"),
        CurlCase(arguments: [#"localhost/\[1\]"#], line: "GET /%5B1%5D HTTP/1.1"),
        CurlCase(arguments: ["-g", "localhost/[1-2]"], line: "GET /%5B1-2%5D HTTP/1.1"),
        CurlCase(arguments: ["localhost/x?a[]=1"], line: "GET /x?a%5B%5D=1 HTTP/1.1"),
        CurlCase(
            arguments: [
                "-q", "--no-keepalive", "-N", "-#", "--connect-timeout", "2", "--http1.1", "--speed-limit", "1", "-y",
                "4", "--", "localhost/e",
            ],
            line: "GET /e HTTP/1.1"
        ),
        CurlCase(
            arguments: ["-F", #"a="x;y";type=text/plain; charset=utf-8;filename="a;b""#, "localhost"],
            line: "POST / HTTP/1.1",
            contains: [
                #"name="a"; filename="a;b""#, "Content-Type: text/plain; charset=utf-8\r\n", "\r\n\r\nx;y\r\n",
            ]
        ),
        CurlCase(
            arguments: ["--anyauth", "-u", "u:p", "localhost"],
            line: "GET / HTTP/1.1",
            lacks: ["Authorization"]
        ),
        CurlCase(arguments: ["-X", "delete", "localhost/a"], line: "delete /a HTTP/1.1"),
        // Methods that read like hosts.
        CurlCase(arguments: ["-X", "V1", "h:8080/x"], line: "V1 /x HTTP/1.1", contains: ["Host: h:8080\r\n"]),
        CurlCase(arguments: ["-X", "foo", "u:p@h/x"], line: "foo /x HTTP/1.1", contains: ["Host: h\r\n"]),
        CurlCase(arguments: ["-X", "1.1", "http://h/x"], line: "1.1 /x HTTP/1.1", contains: ["Host: h\r\n"]),
        CurlCase(arguments: ["-X", "*", "-d", "a", "h"], line: "* / HTTP/1.1", contains: ["Host: h\r\n"]),
        CurlCase(
            arguments: ["--comp", "--data-b", "a", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["\r\n\r\na"]
        ),
        CurlCase(
            arguments: ["-H", "Transfer-Encoding: chunked", "-d", "abc", "localhost"],
            line: "POST / HTTP/1.1",
            contains: ["Transfer-Encoding: chunked\r\n", "abc"],
            lacks: ["Content-Length"]
        ),
    ]

    @Test(.bug(id: "F528"), arguments: Self.curlCases)
    func `a command of curl makes the same request`(_ one: CurlCase) async throws {
        let folder = try TemporaryFolder()
        let result = try await Program(directory: folder.path).run(["--offline", "curl"] + one.arguments)
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(folder.names == [])
        #expect(result.output.hasPrefix(one.line + "\r\n"), "\(result.output)")
        for part in one.contains { #expect(result.output.contains(part), "\(result.output)") }
        for part in one.lacks { #expect(!result.output.contains(part), "\(result.output)") }
    }

    @Test(
        .bug(id: "F437"),
        arguments: [
            (["--data-urlencode", "@f"], "", "%FF+%2F%3F%0A"), (["--data-urlencode", "n@f"], "", "n=%FF+%2F%3F%0A"),
            (["--data-urlencode", "a/b?~c d"], "", "a%2Fb%3F~c+d"),
            (["-G", "--data-urlencode", "n@f"], "?n=%FF+%2F%3F%0A", ""),
            (["--url-query", "n@f"], "?n=%FF+%2F%3F%0A", ""),
        ]
    )
    func `curl --data-urlencode sends any bytes of a file`(
        _ options: [String],
        _ query: String,
        _ body: String
    ) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            try folder.write([0xFF, 0x20, 0x2F, 0x3F, 0x0A], to: "f", changed: 1_700_000_000)
            let result = try await Program(directory: folder.path).run(["curl"] + options + [server.url + "/a"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            let request = try await server.takeRequest()
            #expect(request.target == "/a" + query)
            #expect(request.bodyText == body)
        }
    }

    @Test(.bug(id: "F437"), arguments: [["-H", "@f"], ["-w", "@f"], ["-G", "-d", "@f"]])
    func `bytes of a file that are no text are explained for curl`(_ options: [String]) async throws {
        let folder = try TemporaryFolder()
        try folder.write([0x61, 0x3A, 0xFF], to: "f", changed: 1_700_000_000)
        let result = try await Program(directory: folder.path).run(["curl"] + options + ["localhost:1"])
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("not text in UTF-8"), "\(result.errors)")
        #expect(!result.errors.contains("--form"), "\(result.errors)")
    }

    @Test func `the default options do not change a command of curl`() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("config.json", #"{"default_options": ["--follow", "-v", "--form"]}"#)
        let program = Program(environment: ["BLUEBONNET_CONFIG_DIR": folder.path])
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .found, headers: [.location: "/n"], body: "moved"))
            let result = try await program.run("curl", server.url)
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output == "moved")
            #expect(server.untakenRequestCount == 1)
        }
    }

    @Test(arguments: [
        (["--print=h", "curl", "-i", "-d", "a=1"], "HTTP/1.1 200 OK\r\n"),
        (["--session", "curl", "--print", "b", "curl"], "fine"), (["--no-follow", "--quiet", "curl", "-L"], ""),
    ])
    func `options before a command of curl win over its own`(_ words: [String], _ output: String) async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            server.enqueue(ScriptedResponse(body: "fine"))
            let result = try await Program(environment: ["BLUEBONNET_CONFIG_DIR": folder.path]).run(
                words + [server.url]
            )
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.isEmpty == output.isEmpty)
            #expect(result.output.hasPrefix(output), "\(result.output)")
            #expect(result.output.contains("fine") == (output == "fine"), "\(result.output)")
        }
    }

    @Test(arguments: [["curl"], ["curl", "--help"], ["--as=httpie", "curl"]])
    func `the word curl alone is explained`(_ words: [String]) async throws {
        let result = try await Program().run(words)
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("“bluebonnet --as swift curl …”"), "\(result.errors)")
    }

    @Test func `curl is a method or a host where it is no command`() async throws {
        let method = try await Program().run("--offline", "--", "curl", "localhost")
        #expect(method.output.hasPrefix("CURL / HTTP/1.1\r\n"), "\(method.output)")
        let host = try await Program().run("--offline", "GET", "curl")
        #expect(host.output.contains("Host: curl\r\n"), "\(host.output)")
    }

    @Test func `the method of a command of curl is kept after a redirect`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(status: .found, headers: [.location: "/n"], body: ""),
                ScriptedResponse(status: .noContent)
            )
            let result = try await Program().run("curl", "-L", "-X", "POST", "-d", "a=1", server.url)
            #expect(result.ending == .exited(0), "\(result.errors)")
            _ = try await server.takeRequest()
            #expect(try await server.takeRequest().method == .post)
        }
    }

    @Test(
        .bug(id: "F402"),
        arguments: [
            (["-X", "PUT", "-d", "a=1"], [301: "", 302: "", 303: "", 307: "a=1", 308: "a=1"]),
            (["-X", "GET", "-d", "a=1"], [301: "", 302: "", 303: "", 307: "a=1", 308: "a=1"]),
            (["-X", "POST", "-d", "a=1"], [301: "", 302: "", 303: "", 307: "a=1", 308: "a=1"]),
            (["-X", "PATCH", "--json", "1"], [301: "", 302: "", 303: "", 307: "1", 308: "1"]),
            (["-X", "PUT", "-d", "a=1", "--post302"], [302: "a=1", 303: "", 307: "a=1"]),
            (["-X", "POST", "-T", "f.txt"], [301: "text", 302: "text", 303: "", 307: "text", 308: "text"]),
            (["-X", "GET", "-T", "f.txt"], [301: "text", 302: "text", 303: "", 307: "text", 308: "text"]),
            (["-X", "PUT", "-F", "a=1"], [301: "", 302: "", 303: ""]),
        ] as [([String], [Int: String])]
    )
    func `the body of a command of curl with a method goes as without it`(
        _ options: [String],
        _ bodies: [Int: String]
    ) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("f.txt", "text")
        try await TestServer.withServer { server in
            for (status, body) in bodies {
                server.enqueue(
                    ScriptedResponse(status: .init(code: status), headers: [.location: "/n"], body: ""),
                    ScriptedResponse(status: .noContent)
                )
                let result = try await Program(directory: folder.path).run(["curl", "-L"] + options + [server.url])
                #expect(result.ending == .exited(0), "\(result.errors)")
                _ = try await server.takeRequest()
                let second = try await server.takeRequest()
                #expect(second.method.rawValue == options[1], "\(status)")
                #expect(second.bodyText == body, "\(status)")
                #expect((second.headers[.contentType] == nil) == (body.isEmpty || options[2] == "-T"), "\(status)")
            }
        }
    }

    @Test(
        .bug(id: "F211"),
        arguments: [
            (";auto", nil, "/start?a=1"), ("http://ref/;auto", "http://ref/", "/start?a=1"),
            ("http://ref/", "http://ref/", nil),
            ("", nil, nil),
        ] as [(String, String?, String?)]
    )
    func `curl -e names where a request came from`(_ value: String, _ first: String?, _ second: String?) async throws {
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(status: .found, headers: [.location: "/n"], body: ""),
                ScriptedResponse(status: .noContent)
            )
            let url = server.url + "/start?a=1#part"
            let result = try await Program().run("curl", "-L", "-u", "ada:secret", "-e", value, url)
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().headers[.referer] == first)
            #expect(try await server.takeRequest().headers[.referer] == second.map { server.url + $0 } ?? first)
        }
    }

    @Test(
        .bug(id: "F212"),
        arguments: [
            (["-u", "ada:secret"], "Basic YWRhOnNlY3JldA=="), (["--oauth2-bearer", "t"], "Bearer t"),
            (["--oauth2-bearer", "t", "-u", "ada:secret"], "Bearer t"),
            (["-u", "ada:secret", "--oauth2-bearer", "t"], "Bearer t"),
            (["-u", "ada:secret", "-u", "eve:x"], "Basic ZXZlOng="),
        ]
    )
    func `curl --oauth2-bearer is a token, and -u is none`(_ options: [String], _ field: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(status: .noContent))
            let result = try await Program().run(["curl"] + options + [server.url])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().headers[.authorization] == field)
        }
    }

    @Test func `curl --max-redirs without -L follows nothing, and with it no more than that`() async throws {
        try await TestServer.withServer { server in
            let redirect = ScriptedResponse(status: .found, headers: [.location: "/n"], body: "")
            server.enqueue(redirect, redirect)
            let plain = try await Program().run("curl", "--max-redirs", "0", server.url)
            #expect(plain.ending == .exited(0) && plain.errors.isEmpty, "\(plain.errors)")
            let following = try await Program().run("curl", "--max-redirs", "0", "-L", server.url)
            #expect(following.ending != .exited(0) && following.errors.contains("redirect"), "\(following.errors)")
        }
    }

    @Test(arguments: [
        (["-k", "https://localhost"], "--trust sha256:"), (["--wild", "localhost"], "the request may be another one"),
        (["-H", "a: b"], "no URL"), (["-X"], "lacks its value"),
        (["-X", "GET X", "localhost"], "“GET X” is not a method"), (["-X", "", "localhost"], "“” is not a method"),
        (["-X", "a=b", "localhost"], "“a=b” is not a method"), (["-X", "CONNECT", "localhost"], "opens a tunnel"),
        (["localhost/x?[1-2]"], "--globoff"), (["localhost/{a,b}"], "--globoff"),
        (["-F", "a=x;y", "localhost"], "--form-string"), (["-I", "-d", "a", "localhost"], "more than one kind"),
        (["-F", "a=@x,y", "localhost"], "several files"), (["-H", "@x", "localhost"], "cannot read “x”"),
        (["--connect-timeout", "soon", "localhost"], "number of seconds"),
        (["-Y", "1000", "localhost"], "only if no bytes arrive"), (["-w", "%{certs}", "localhost"], "%{certs}"),
        (["-w", "%{http_code", "localhost"], "not closed"), (["-w", "%header{a b}", "localhost"], "no field"),
        (["-w", "@x", "localhost"], "cannot read “x”"), (["-w", "@-", "localhost"], "name a file"),
        (["-G", "--data-urlencode", "q@-", "localhost"], "name a file"),
        (["--url-query", "q@-", "localhost"], "name a file"),
        (["--limit-rate", "fast", "localhost"], "200k"), (["--limit-rate", "-1", "localhost"], "200k"),
        (["--resolve", "a.test:80", "localhost"], "--resolve takes"), (["-c", "-", "localhost"], "name of a file"),
        (["--resolve", "a.test:80:b.test", "localhost"], "--resolve takes"),
        (["-b", "/", "localhost"], "cookies of “/”"), (["-b", "/dev/zero", "localhost"], "it is a device"),
        (["--resolve", "-a.test:80:127.0.0.1", "localhost"], "--resolve takes"),
        (["-0", "localhost"], "requests are HTTP/1.1 or HTTP/2 here"),
        (["--http3", "localhost"], "HTTP/3 is not spoken"),
        (["--proto", "=https", "localhost"], "allows https"),
        (["--proto", "=ftp", "localhost"], "neither http nor https"),
        (["--output-dir", "d", "-OJ", "localhost"], "change the folder"), (["-R", "localhost"], "leave it out"),
        (["--tls-max", "1.1", "localhost"], "takes 1.2 or 1.3"),
        (["--tlsv1.3", "--tls-max", "1.2", "localhost"], "leave one out"),
        (["--cert-type", "DER", "--cert", "c.pem", "localhost"], "PEM or P12"),
        (["--cert-type", "P12", "--cert", "c.pem", "localhost"], "ends in .p12"),
        (["-D", "/no/such/file", "localhost"], "/no/such/file"),
    ])
    func `a command of curl that has no counterpart is explained`(_ words: [String], _ text: String) async throws {
        let result = try await Program().run(["curl"] + words)
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(text), "\(result.errors)")
    }
}
