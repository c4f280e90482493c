// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

extension BuiltInRoutes {
    static let cookieRoutes: [BuiltInRoute] = [
        BuiltInRoute("/cookies", "the cookies that were sent, as pairs in JSON") { request in
            .json(.object([("cookies", .pairs(Self.cookies(request)))]))
        },
        BuiltInRoute(
            "/cookies/set?NAME=VALUE",
            "sets a cookie for each item of the query (Path=/), then redirects to /cookies"
        ) { request in
            let items = request.target.query
            guard items.allSatisfy({ Self.isFieldValue($0.name + $0.value) }) else {
                return .error(400, "a cookie must not hold control characters")
            }
            let headers = items.map { (name: "Set-Cookie", value: "\($0.name)=\($0.value); Path=/") }
            return OutgoingResponse(status: 302, headers: headers + [("Location", "/cookies")])
        },
        BuiltInRoute("/cookies/delete?NAME", "deletes a cookie for each item of the query, then redirects to /cookies")
        {
            request in
            let items = request.target.query
            guard items.allSatisfy({ Self.isFieldValue($0.name) }) else {
                return .error(400, "a cookie must not hold control characters")
            }
            let headers = items.map { (name: "Set-Cookie", value: "\($0.name)=; Path=/; Max-Age=0") }
            return OutgoingResponse(status: 302, headers: headers + [("Location", "/cookies")])
        },
    ]

    private static func cookies(_ request: ReceivedRequest) -> [(name: String, value: String)] {
        request.head.headers["cookie"].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.map { pair in
            let pair = pair.drop { $0 == 0x20 }
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return (String(Substring(name)), String(Substring(pair.dropFirst(name.count + 1))))
        }
    }
}
