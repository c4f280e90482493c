// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes

extension Response {
    /// A response with a text body.
    static func stub(
        _ body: String = "",
        type: String? = "application/json",
        status: Int = 200,
        method: HTTPRequest.Method = .get
    ) -> Response {
        .stub(Data(body.utf8), type: type, status: status, method: method)
    }

    /// A response with a body of bytes.
    static func stub(
        _ body: Data,
        type: String? = "application/json",
        status: Int = 200,
        method: HTTPRequest.Method = .get
    ) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = type
        let request = URL(string: "https://example.com/").map { Request(method: method, url: $0) }
        return Response(status: HTTPResponse.Status(code: status), headers: headers, body: body, request: request)
    }
}
