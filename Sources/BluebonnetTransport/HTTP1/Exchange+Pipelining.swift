// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension Exchange {
    /// Whether the request may be sent behind others of its kind before their responses have come, and others behind it.
    ///
    /// It must be safe to send twice, complete with its head, and leave the connection as it was (RFC 9112 section 9.3.2). Proxies that
    /// forward requests are not trusted with it: what they make of a line of requests is up to their age.
    var isPipelinable: Bool {
        // Most do not ask for it, and pay nothing for the question.
        guard self.request.usesPipelining else { return false }
        let request = self.request
        guard request.method.isSafe, !request.allowsUpgrade, request.trailers == nil,
            case .none = request.body, self.route.forwarder == nil
        else { return false }
        return !request.headers.contains { field in
            field.name == .connection || field.name == .upgrade || field.name == .expect
        }
    }
}

extension HTTPRequest.Method {
    /// Whether a request with this method asks for nothing but a response (RFC 9110 section 9.2.1).
    fileprivate var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }
}
