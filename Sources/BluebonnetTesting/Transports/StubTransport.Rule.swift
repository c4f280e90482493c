// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
public import HTTPTypes

extension StubTransport {
    /// Which requests a stub responds to, and with what.
    public struct Rule: Sendable, CustomStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        let answer: Answer

        /// The method and the path.
        public var description: String { "\(self.method.rawValue) \(self.path)" }

        /// Responds to requests with a method and a path.
        ///
        /// - Parameters:
        ///   - method: The method of the requests.
        ///   - path: Their path; the query is ignored. A segment `*` matches any one segment.
        ///   - answer: Returns the response; an error it throws is thrown by the exchange.
        /// - Returns: The rule.
        public static func on(_ method: HTTPRequest.Method, _ path: String, _ answer: @escaping Answer) -> Rule {
            Rule(method: method, path: path, answer: answer)
        }

        func matches(_ request: TransportRequest) -> Bool {
            guard request.method == self.method else { return false }
            let slash = UInt8(ascii: "/")
            let expected = self.path.utf8.split(separator: slash, omittingEmptySubsequences: false)
            let segments = Self.path(of: request.target).utf8.split(separator: slash, omittingEmptySubsequences: false)
            return expected.count == segments.count
                && zip(expected, segments).allSatisfy { $0.elementsEqual("*".utf8) || $0.elementsEqual($1) }
        }

        /// Returns a target without its query.
        static func path(of target: String) -> Substring {
            Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })
        }
    }
}
