// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
public import HTTPTypes

extension StubTransport {
    /// Which requests a stub responds to, and with what.
    public struct Rule: Sendable, CustomStringConvertible {
        let method: HTTPRequest.Method
        let path: PathPattern
        let answer: Answer

        /// The method and the path.
        public var description: String { "\(self.method.rawValue) \(self.path.text)" }

        /// Responds to requests with a method and a path.
        ///
        /// - Parameters:
        ///   - method: The method of the requests.
        ///   - path: Their path; the query is ignored. A segment `*` matches any one segment.
        ///   - answer: Returns the response; an error it throws is thrown by the exchange.
        /// - Returns: The rule.
        public static func on(_ method: HTTPRequest.Method, _ path: String, _ answer: @escaping Answer) -> Rule {
            Rule(method: method, path: PathPattern(path), answer: answer)
        }

        func matches(_ request: TransportRequest) -> Bool {
            request.method == self.method && self.path.matches(request.path)
        }
    }
}
