// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

extension BuiltInRoutes {
    static let redirectRoutes: [BuiltInRoute] = [
        BuiltInRoute("/redirect/N", "a chain of N redirects (302, relative) that ends at /echo; 1000 at most") {
            Self.redirect($0, prefix: "")
        },
        BuiltInRoute("/absolute-redirect/N", "the same with absolute locations") { request in
            let scheme = request.isSecure ? "https" : "http"
            let authority = request.head.headers.first(name: "host") ?? "localhost"
            return Self.redirect(request, prefix: "\(scheme)://\(authority)")
        },
        BuiltInRoute("/redirect-to?url=URL&status=N", "one redirect to URL, status 302 unless given") { request in
            let status = Int(request.target["status"] ?? "302") ?? 0
            guard let url = request.target["url"], Self.isFieldValue(url), (300...399).contains(status) else {
                return .error(400, "url must be given and status be from 300 to 399")
            }
            return OutgoingResponse(status: status, headers: [("Location", url)])
        },
    ]

    private static func redirect(_ request: ReceivedRequest, prefix: String) -> OutgoingResponse {
        let segments = request.target.segments
        guard let count = Int(segments[1]), (0...1000).contains(count) else {
            return .error(400, "the number of redirects must be from 0 to 1000")
        }
        let path = count > 1 ? "/\(segments[0])/\(count - 1)" : "/echo"
        return OutgoingResponse(status: 302, headers: [("Location", prefix + path)])
    }

    /// Whether a text is a valid field value.
    static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
