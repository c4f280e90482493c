// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Which requests are sent again: method by status by body, and error by phase.
@Suite(.timeLimit(.minutes(1))) struct RetryDecisionTests {
    private static func session(_ transport: StubTransport, _ policy: RetryPolicy = .immediate()) -> Session {
        var configuration = Session.Configuration.retrying(policy)
        configuration.redirects = .none
        return Session(configuration: configuration, transport: transport)
    }

    @Test(arguments: try Fixture.load("retry-statuses", as: RetryTable.Statuses.self).rows)
    func `a status is retried as the table says`(_ row: RetryTable.Statuses.Row) async throws {
        let statuses = try Fixture.load("retry-statuses", as: RetryTable.Statuses.self).statuses
        #expect(statuses.count > 40)
        for method in row.methods {
            for body in row.bodies {
                for status in statuses {
                    let transport = StubTransport { _ in .plain("body of \(status)", status: status) }
                    let request = try RetryTable.request(method, body: body, key: row.key)
                    let response = try await Self.session(transport).response(for: request)
                    let expected = row.retried.contains(status) ? 3 : 1
                    #expect(transport.requests.count == expected, "\(method) \(body) \(status)")
                    #expect(response.status.code == status)
                    #expect(response.body == Data("body of \(status)".utf8))
                    #expect(response.failedAttempts.count == expected - 1)
                }
            }
        }
    }

    private static let codes = Dictionary(
        uniqueKeysWithValues: [
            TransportError.Code.nameResolutionFailed, .connectFailed, .invalidProxy, .proxyFailed,
            .proxyAuthenticationRequired, .tlsFailed, .untrustedCertificate, .timedOut, .connectionClosed,
            .protocolViolation, .http11Required, .responseTooLarge, .limitExceeded, .decompressionFailed,
            .invalidRequest, .bodyFailed, .shutDown,
        ].map { ($0.description, $0) }
    )

    private static func request(_ name: String) throws -> Request {
        switch name {
        case "GET": try RetryTable.request("GET")
        case "PUT": try RetryTable.request("PUT", body: "data")
        case "POST": try RetryTable.request("POST", body: "data")
        case "POST with key": try RetryTable.request("POST", body: "data", key: "8e03978e")
        default: try RetryTable.request("PUT", body: "once")
        }
    }

    @Test(arguments: try Fixture.load("retry-errors", as: RetryTable.Errors.self).rows)
    func `an error is retried as the table says`(_ row: RetryTable.Errors.Row) async throws {
        let names = try Fixture.load("retry-errors", as: RetryTable.Errors.self).requests
        #expect(names.count == 5)
        let code = try #require(Self.codes[row.code])
        for name in names {
            for phase in row.phases {
                let phase = try #require(ExchangePhase(rawValue: phase))
                let transport = StubTransport { _ in
                    throw TransportError(code, phase: phase, reason: "test", isRequestSent: row.sent)
                }
                let request = try Self.request(name)
                let error = await #expect(throws: SessionError.self) {
                    try await Self.session(transport).response(for: request)
                }
                let expected = row.retried.contains(name) ? 3 : 1
                #expect(transport.requests.count == expected, "\(name) in \(phase)")
                #expect(error?.code.description == row.code)
                #expect(error?.failedAttempts.count == expected - 1)
            }
        }
    }

    @Test func `every error of the transport is in the table`() throws {
        let rows = try Fixture.load("retry-errors", as: RetryTable.Errors.self).rows
        #expect(Set(rows.map(\.code)) == Set(Self.codes.keys))
    }

    @Test(arguments: [(nil, 3), (503, 3), (502, 3), (407, 1), (403, 1), (404, 1)] as [(Int?, Int)])
    func `a proxy's refusal is retried by its status`(_ status: Int?, _ expected: Int) async throws {
        let transport = StubTransport { _ in
            var error = TransportError(.proxyFailed, phase: .connect, reason: "test")
            error.proxyStatus = status
            throw error
        }
        let request = try RetryTable.request("GET")
        await #expect(throws: SessionError.self) { try await Self.session(transport).response(for: request) }
        #expect(transport.requests.count == expected)
    }

    @Test func `an error of an interceptor and an error of another type are not retried`() async throws {
        struct Strange: Error {}
        struct Failing: Interceptor {
            func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse { throw Strange() }
        }
        let strange = StubTransport { _ in throw Strange() }
        let request = try RetryTable.request("GET")
        var error = await #expect(throws: SessionError.self) {
            try await Self.session(strange).response(for: request)
        }
        #expect(error?.code == .transportFailed && strange.requests.count == 1)
        var configuration = Session.Configuration.retrying()
        configuration.networkInterceptors = [Failing()]
        let session = Session(configuration: configuration, transport: StubTransport())
        error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
        #expect(error?.code == .interceptorFailed && error?.underlying is Strange)
    }

    // MARK: What the policy can change

    @Test func `methods, statuses, errors and the two exceptions can be changed`() async throws {
        func count(_ method: String, _ answer: Result<Int, TransportError>, _ policy: RetryPolicy) async throws -> Int {
            let transport = StubTransport { _ in .plain("", status: try answer.get()) }
            let request = try RetryTable.request(method, body: "data", key: "1")
            _ = try? await Self.session(transport, policy).response(for: request)
            return transport.requests.count
        }
        var policy = RetryPolicy.immediate(attempts: 2)
        policy.acceptsIdempotencyKey = false
        #expect(try await count("POST", .success(503), policy) == 1)
        policy.methods.insert(.post)
        #expect(try await count("POST", .success(503), policy) == 2)
        policy.statuses = [404]
        #expect(try await count("POST", .success(503), policy) == 1)
        #expect(try await count("POST", .success(404), policy) == 2)
        let violation = TransportError(.protocolViolation, phase: .responseHead, reason: "", isRequestSent: true)
        #expect(try await count("GET", .failure(violation), policy) == 1)
        policy.failures.insert(.init(.protocolViolation, in: [.responseHead]))
        #expect(try await count("GET", .failure(violation), policy) == 2)
        let refused = TransportError(.connectFailed, phase: .connect, reason: "")
        #expect(try await count("PATCH", .failure(refused), policy) == 2)
        policy.retriesUnsentRequests = false
        #expect(try await count("PATCH", .failure(refused), policy) == 1)
    }

    @Test(arguments: [(-5, 1), (0, 1), (1, 1), (2, 2), (7, 7), (.max, 100)])
    func `the number of attempts is a limit`(_ attempts: Int, _ expected: Int) async throws {
        let transport = StubTransport { _ in .plain("", status: 503) }
        let request = try RetryTable.request("GET")
        let response = try await Self.session(transport, .immediate(attempts: attempts)).response(for: request)
        #expect(response.status == .serviceUnavailable)
        #expect(transport.requests.count == expected)
    }
}
