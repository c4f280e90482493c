// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// In the context of a request that is sent again: the statuses of the responses that were the reason.
///
/// A cache may have stored these responses. A stored response with such a status does not answer the request unless the
/// server has confirmed it: otherwise neither another attempt nor other credentials would reach the server.
private struct BypassedStatuses: Sendable {
    var codes: [Int] = []
}

extension Request {
    /// Records the status of a response after which the request is sent again.
    mutating func bypassStored(_ status: HTTPResponse.Status) {
        guard !self.bypassesStored(status) else { return }
        var statuses = self.context[BypassedStatuses.self] ?? BypassedStatuses()
        statuses.codes.append(status.code)
        self.context[BypassedStatuses.self] = statuses
    }

    /// Whether the request is sent again because of a response with a status.
    func bypassesStored(_ status: HTTPResponse.Status) -> Bool {
        guard !self.context.isEmpty else { return false }
        return self.context[BypassedStatuses.self]?.codes.contains(status.code) ?? false
    }
}
