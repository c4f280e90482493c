// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluebonnetTesting
import HTTPTypes

/// The values of `serve --fault`.
enum ServedFault: String, OptionWord {
    /// The connection is closed in the middle of the body.
    case close
    /// The connection is reset in the middle of the body.
    case reset
    /// There is no response, and the connection stays open.
    case stall
    /// The body is sent in small pieces, ten per second.
    case slow
    /// The response is not valid HTTP.
    case garbage
    /// The status is 503, with a Retry-After of one second.
    case unavailable

    /// The response to every request.
    var response: ScriptedResponse {
        let body = ScriptedResponse.Body.text(String(repeating: "bluebonnet\n", count: 100))
        switch self {
        case .close: return ScriptedResponse(body: body, effect: .close(.afterBody(500)))
        case .reset: return ScriptedResponse(body: body, effect: .reset(.afterBody(500)))
        case .stall: return ScriptedResponse(body: body, effect: .stall(.beforeResponse))
        case .slow: return ScriptedResponse(body: body, effect: .throttle(byteCount: 11, every: .milliseconds(100)))
        case .garbage: return .raw("bluebonnet 1.0 is not HTTP\r\n\r\n")
        case .unavailable:
            return ScriptedResponse(status: .serviceUnavailable, headers: [.retryAfter: "1"], body: "not now\n")
        }
    }
}
