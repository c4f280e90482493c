// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes

/// Answers as the server of `scripts/compare-httpie` does.
enum HabitServer {
    static let document = #"{"b":[1,{"c":null}],"a":"é"}"#

    static func response(to request: RecordedRequest, port: Int) -> ScriptedResponse {
        let path = request.path
        if let left = self.number(behind: "/redirect/", path) {
            return self.redirect(302, left > 1 ? "/redirect/\(left - 1)" : "/x")
        }
        if let status = self.number(behind: "/status/", path) {
            return .json("{}", status: .init(code: status))
        }
        switch path {
        case "/see-other": return self.redirect(303, "/x")
        case "/keep": return self.redirect(307, "/x")
        case "/elsewhere": return self.redirect(302, "http://localhost:\(port)/x")
        case "/digest" where request.headers[.authorization] == nil:
            return ScriptedResponse(
                status: .unauthorized,
                headers: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth", algorithm=MD5"#]
            )
        case "/set-cookie": return ScriptedResponse(headers: [.setCookie: "k=v; Path=/"])
        case "/json": return .json(self.document)
        case "/text-json": return ScriptedResponse(headers: [.contentType: "text/plain"], body: .text(self.document))
        case "/gzip":
            return ScriptedResponse(
                headers: [.contentType: "application/json", .contentEncoding: "gzip"],
                body: .bytes(Compression.gzip(Array(self.document.utf8)))
            )
        case "/latin1":
            return ScriptedResponse(headers: [.contentType: "text/plain"], body: .bytes([0x63, 0x61, 0x66, 0xE9]))
        case "/lines":
            let lines = "{\"a\":1}\n{\"a\":2}\n"
            return ScriptedResponse(headers: [.contentType: "application/x-ndjson"], body: .text(lines))
        case "/xml": return ScriptedResponse(headers: [.contentType: "application/xml"], body: "<a><b>c</b></a>")
        case "/file":
            return ScriptedResponse(
                headers: [.contentType: "application/octet-stream"],
                body: .bytes(Array(0...255))
            )
        case "/silent": return ScriptedResponse(effect: .stall(.beforeResponse))
        case "/broken": return ScriptedResponse(body: "1234567890", effect: .close(.afterBody(5)))
        default: return .json("{}")
        }
    }

    private static func number(behind prefix: String, _ path: String) -> Int? {
        path.hasPrefix(prefix) ? Int(path.dropFirst(prefix.count)) : nil
    }

    private static func redirect(_ code: Int, _ location: String) -> ScriptedResponse {
        ScriptedResponse(status: .init(code: code), headers: [.location: location])
    }
}
