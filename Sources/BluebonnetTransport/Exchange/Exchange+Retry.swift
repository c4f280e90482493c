// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

extension Exchange {
    /// Whether the exchange may silently be tried once more, on another connection; true at most once.
    ///
    /// A server may close an idle connection at the very moment a request is sent on it. Without a byte of the response, and with a method
    /// that may be repeated (RFC 9110 section 9.2.2), trying again is what a person would do. A request of which the peer says that it
    /// did nothing with it may be repeated whatever its method.
    ///
    /// - Parameters:
    ///   - error: How it failed.
    ///   - isReused: Whether the connection had served another exchange before.
    ///   - hasResponse: Whether any byte of a response came.
    /// - Returns: Whether it has to be submitted again.
    func claimRetry(after error: TransportError, isReused: Bool, hasResponse: Bool) -> Bool {
        guard error.code == .connectionClosed, isReused || !error.isRequestSent, !hasResponse else { return false }
        let request = self.request
        guard request.body.isReplayable, request.method.isIdempotent || !error.isRequestSent else { return false }
        return !self.wasRetried.exchange(true, ordering: .relaxed)
    }
}

extension HTTPRequest.Method {
    /// Whether a request with this method may be repeated without asking (RFC 9110 section 9.2.2).
    var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }
}
