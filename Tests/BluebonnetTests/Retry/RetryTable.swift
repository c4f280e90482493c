// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The tables of `Fixtures/retry-statuses.json` and `Fixtures/retry-errors.json`.
enum RetryTable {
    struct Statuses: Decodable {
        struct Row: Decodable, Sendable, CustomTestStringConvertible {
            var methods: [String]
            var key: String?
            var bodies: [String]
            var retried: [Int]

            var testDescription: String {
                "\(self.methods) with body \(self.bodies)\(self.key.map { ", key \"\($0)\"" } ?? "")"
            }
        }

        var statuses: [Int]
        var rows: [Row]
    }

    struct Errors: Decodable {
        struct Row: Decodable, Sendable, CustomTestStringConvertible {
            var code: String
            var phases: [String]
            var sent: Bool
            var retried: [String]

            var testDescription: String { "\(self.code) in \(self.phases), \(self.sent ? "sent" : "not sent")" }
        }

        var requests: [String]
        var rows: [Row]
    }

    static func request(_ method: String, body: String = "none", key: String? = nil) throws -> Request {
        var request = try Request(methodName: method, parsing: "http://h/")
        let bytes = Data("body".utf8)
        request.body =
            switch body {
            case "data": .data(bytes)
            case "stream": .stream(length: 4, isReplayable: true) { try RequestBody.data(bytes).makeReader() }
            case "once": .stream(length: 4, isReplayable: false) { try RequestBody.data(bytes).makeReader() }
            default: .none
            }
        if let key { request.headers[try #require(HTTPField.Name("Idempotency-Key"))] = key }
        return request
    }
}

extension RetryPolicy {
    /// Retries without waiting.
    static func immediate(attempts: Int = 3) -> RetryPolicy {
        var policy = RetryPolicy.idempotent(attempts: attempts)
        policy.backoff = .none
        return policy
    }

    /// Waits as long as it may before each attempt.
    static func slow(attempts: Int = 3, secondsSince1970: Int64 = 0) -> RetryPolicy {
        var policy = RetryPolicy.idempotent(attempts: attempts)
        policy.surroundings.random = { 1 }
        policy.surroundings.secondsSince1970 = { secondsSince1970 }
        return policy
    }
}

extension Session.Configuration {
    /// A configuration that retries.
    static func retrying(
        _ policy: RetryPolicy = .immediate(),
        clock: ManualSessionClock? = nil,
        budget: RetryBudget? = nil
    ) -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.retries = policy
        configuration.retryBudget = budget
        if let clock { configuration.clock = clock.clock }
        return configuration
    }
}
