// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// In the context of a request that is sent again: the statuses of the responses that it is to get past.
///
/// A cache may have stored these responses. One with such a status does not answer the request unless the server has
/// confirmed it: otherwise neither another attempt nor other credentials would reach the server.
private struct StatusesToGetPast: Sendable {
    var codes: [Int] = []
}

extension Request {
    /// Records the status of a response after which the request is sent again.
    mutating func getPast(_ status: HTTPResponse.Status) {
        guard !self.mustGetPast(status) else { return }
        var statuses = self.context[StatusesToGetPast.self] ?? StatusesToGetPast()
        statuses.codes.append(status.code)
        self.context[StatusesToGetPast.self] = statuses
    }

    /// Whether the request is sent again because of a response with a status.
    func mustGetPast(_ status: HTTPResponse.Status) -> Bool {
        guard !self.context.isEmpty else { return false }
        return self.context[StatusesToGetPast.self]?.codes.contains(status.code) ?? false
    }
}
