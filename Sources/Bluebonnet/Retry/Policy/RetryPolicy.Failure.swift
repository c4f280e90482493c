// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

extension RetryPolicy {
    /// A kind of error after which a request is sent again.
    public struct Failure: Sendable, Hashable {
        /// The code of the error.
        public var code: SessionError.Code

        /// The phases in which it applies; nil for any.
        public var phases: Set<SessionError.Phase>?

        /// Creates a kind of error.
        ///
        /// - Parameters:
        ///   - code: The code of the error.
        ///   - phases: The phases in which it applies; any by default.
        public init(_ code: SessionError.Code, in phases: Set<SessionError.Phase>? = nil) {
            self.code = code
            self.phases = phases
        }

        /// The errors that may be transient.
        ///
        /// These are a name without an address, a refused connection, a connection that was closed, a proxy that fails
        /// (with a status: only one of ``RetryPolicy/statuses``), and a timeout of any phase except the wait for a
        /// connection and the call as a whole. An untrusted certificate, a response that is not HTTP, a body that
        /// cannot be read, and errors of interceptors are not included.
        ///
        /// Of a call whose token could not be refreshed, the failure of the refresh counts.
        public static let transient: Set<Failure> = [
            Failure(.nameResolutionFailed), Failure(.connectFailed), Failure(.connectionClosed), Failure(.proxyFailed),
            Failure(
                .timedOut,
                in: [.resolve, .connect, .tlsHandshake, .requestBody, .responseHead, .responseBody]
            ),
        ]

        func matches(_ error: SessionError) -> Bool {
            guard error.code == self.code else { return false }
            guard let phases else { return true }
            return error.phase.map { phases.contains($0) } ?? false
        }
    }
}
