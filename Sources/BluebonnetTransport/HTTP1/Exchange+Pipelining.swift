// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension Exchange {
    /// Whether the request may be pipelined: sent before earlier responses have arrived, with others sent behind it.
    ///
    /// Its method must be safe, it must have no body, and it must not change the connection (RFC 9112 section 9.3.2).
    /// Forwarding proxies are excluded: old ones handle pipelining badly.
    var isPipelinable: Bool {
        // Most requests do not ask for it; they are rejected first.
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
