// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SmallRoutesTests {
    struct Case: CustomTestStringConvertible {
        var target: String
        var headers: [String] = []
        var status = 200
        var field: (name: String, value: String)?
        var text: String?
        var testDescription: String { "\(self.target) \(self.headers)" }
    }

    @Test(arguments: [
        Case(target: "/", field: ("content-type", "text/plain; charset=utf-8")),
        Case(target: "/nowhere", status: 404),
        Case(target: "/status/204", status: 204),
        Case(target: "/status/599", status: 599, field: ("content-length", "0")),
        Case(target: "/status/100", status: 400),
        Case(target: "/status/1000", status: 400),
        Case(target: "/status/x", status: 400),
        Case(target: "/delay/0.01", text: "{}\n"),
        Case(target: "/delay/nan", status: 400),
        Case(target: "/delay/-1", status: 400),
        Case(target: "/delay/1e300", status: 400),
        Case(target: "/drip?duration=0.02&bytes=7", text: "*******"),
        Case(target: "/drip?duration=0&bytes=0&code=218", status: 218, text: ""),
        Case(target: "/drip?bytes=-1", status: 400),
        Case(target: "/redirect/3", status: 302, field: ("location", "/redirect/2")),
        Case(target: "/redirect/1", status: 302, field: ("location", "/echo")),
        Case(target: "/absolute-redirect/2", status: 302, field: ("location", "http://localhost/absolute-redirect/1")),
        Case(
            target: "/redirect-to?url=http%3A%2F%2Fx%2F%3Fa%26b&status=308",
            status: 308,
            field: ("location", "http://x/?a&b")
        ),
        Case(target: "/redirect-to?url=a%0D%0Ab", status: 400),
        Case(target: "/redirect-to?url=a&status=200", status: 400),
        Case(target: "/redirect/1001", status: 400),
        Case(
            target: "/cookies",
            headers: ["Cookie: a=1; b=2=3", "Cookie: c"],
            text: "{\"cookies\":[[\"a\",\"1\"],[\"b\",\"2=3\"],[\"c\",\"\"]]}\n"
        ),
        Case(target: "/cookies/set?a=1", status: 302, field: ("set-cookie", "a=1; Path=/")),
        Case(target: "/cookies/delete?a", status: 302, field: ("set-cookie", "a=; Path=/; Max-Age=0")),
        Case(target: "/cookies/set?a=%0A", status: 400),
        Case(
            target: "/basic-auth/u%20s/p:w",
            headers: ["Authorization: Basic \(Data("u s:p:w".utf8).base64EncodedString())"]
        ),
        Case(
            target: "/basic-auth/u/p",
            status: 401,
            field: ("www-authenticate", "Basic realm=\"Bluebonnet\", charset=\"UTF-8\"")
        ),
        Case(target: "/basic-auth/u/p", headers: ["Authorization: Basic dTp4"], status: 401),
        Case(target: "/bearer/t", headers: ["authorization: bearer t"]),
        Case(
            target: "/bearer/t",
            headers: ["Authorization: Bearer x"],
            status: 401,
            field: ("www-authenticate", "Bearer")
        ),
        Case(target: "/headers", headers: ["X: y"], text: "{\"headers\":[[\"Host\",\"localhost\"],[\"X\",\"y\"]]}\n"),
        Case(target: "/response-headers?X-A=1&content-type=text%2Fx", field: ("x-a", "1")),
        Case(target: "/response-headers?bad%20name=1", status: 400),
        Case(target: "/json", field: ("content-type", "application/json")),
        Case(target: "/xml", field: ("content-type", "application/xml")),
        Case(target: "/html", field: ("content-type", "text/html; charset=utf-8")),
        Case(target: "/text", field: ("content-type", "text/plain; charset=utf-8")),
        Case(target: "/plist", field: ("content-type", "application/x-plist")),
    ])
    func `answers as its index says`(example: Case) async throws {
        let response = try await EchoRouteTests.exchange("GET", example.target, headers: example.headers)
        #expect(response.status == example.status)
        if let field = example.field { #expect(response[field.name] == field.value) }
        if let text = example.text { #expect(response.text == text) }
    }

    @Test(.bug(id: "F304")) func `an absolute redirect over TLS stays on TLS`() async throws {
        try await TestServer.withServer(tls: .init()) { server in
            try await RawConnection.with(server, root: server.certificateAuthority.pem) { connection in
                let response = try await connection.exchange("GET", "/absolute-redirect/2")
                #expect(response["location"] == "https://localhost/absolute-redirect/1")
            }
        }
    }

    @Test func `the documents are what they say they are`() async throws {
        let json = try await EchoRouteTests.exchange("GET", "/json")
        #expect(try JSONSerialization.jsonObject(with: Data(json.body)) is [String: Any])
        let plist = try await EchoRouteTests.exchange("GET", "/plist")
        let values = try PropertyListSerialization.propertyList(from: Data(plist.body), format: nil) as? [String: Any]
        #expect(values?["petals"] as? Int == 5)
    }
}
