// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOPosix
import Testing

@testable import BluebonnetTransport

/// Which exchanges are silently sent once more, and how often.
@Suite struct ExchangeLossTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var loss: ExchangeLoss
        var method = HTTPRequest.Method.get
        var isSent = true
        var code = TransportError.Code.connectionClosed
        var isReplayable = true
        var isBodyBegun = true
        /// How many of three losses of the same kind are made up for.
        var retries: Int
    }

    private static let reused = ExchangeLoss.broken(isReused: true, hasResponse: false)
    private static let new = ExchangeLoss.broken(isReused: false, hasResponse: false)

    static let cases: [Case] = [
        Case(testDescription: "a used connection broke", loss: reused, retries: 1),
        Case(testDescription: "a used connection broke under a PUT", loss: reused, method: .put, retries: 1),
        Case(testDescription: "a used connection broke under a POST", loss: reused, method: .post, retries: 0),
        Case(testDescription: "a POST had not been sent", loss: reused, method: .post, isSent: false, retries: 1),
        Case(
            testDescription: "a body that comes once",
            loss: reused,
            method: .put,
            isSent: false,
            isReplayable: false,
            retries: 0
        ),
        Case(
            testDescription: "a used connection broke under a PUT with a body that comes once and was not begun",
            loss: reused,
            method: .put,
            isReplayable: false,
            isBodyBegun: false,
            retries: 1
        ),
        Case(testDescription: "a new connection broke", loss: new, retries: 0),
        Case(testDescription: "a new connection broke before anything was sent", loss: new, isSent: false, retries: 1),
        Case(
            testDescription: "a response had begun",
            loss: .broken(isReused: true, hasResponse: true),
            isSent: false,
            retries: 0
        ),
        Case(testDescription: "another fault", loss: reused, code: .protocolViolation, retries: 0),
        Case(testDescription: "a limit of time", loss: reused, code: .timedOut, retries: 0),
        Case(
            testDescription: "not started on a connection that had carried none",
            loss: .notStarted(hadProgress: false),
            method: .post,
            isReplayable: false,
            retries: 1
        ),
        Case(
            testDescription: "not started on a connection that had carried some",
            loss: .notStarted(hadProgress: true),
            method: .post,
            isReplayable: false,
            retries: 3
        ),
        Case(testDescription: "declined, again and again", loss: .declined, method: .post, retries: 3),
        Case(
            testDescription: "declined, with a body that comes once",
            loss: .declined,
            isReplayable: false,
            retries: 0
        ),
        Case(
            testDescription: "declined, with a body that comes once and was not begun",
            loss: .declined,
            isReplayable: false,
            isBodyBegun: false,
            retries: 3
        ),
        Case(
            testDescription: "refused beyond a limit that the peer had not announced",
            loss: .refused(isEarly: true),
            method: .post,
            isSent: false,
            retries: 2
        ),
        Case(
            testDescription: "refused within the limit",
            loss: .refused(isEarly: false),
            method: .post,
            isSent: false,
            retries: 1
        ),
        Case(
            testDescription: "refused, with a body that comes once and was not begun",
            loss: .refused(isEarly: false),
            method: .post,
            isSent: false,
            isReplayable: false,
            isBodyBegun: false,
            retries: 1
        ),
        Case(
            testDescription: "refused, with a body that comes once and was begun",
            loss: .refused(isEarly: true),
            isSent: false,
            isReplayable: false,
            retries: 0
        ),
        Case(
            testDescription: "HTTP/1.1 is required",
            loss: .requiresHTTP1,
            method: .post,
            code: .http11Required,
            retries: 3
        ),
        Case(
            testDescription: "HTTP/1.1 is required, with a body that comes once and was not begun",
            loss: .requiresHTTP1,
            code: .http11Required,
            isReplayable: false,
            isBodyBegun: false,
            retries: 3
        ),
        Case(
            testDescription: "HTTP/1.1 is required, with a body that comes once and was begun",
            loss: .requiresHTTP1,
            code: .http11Required,
            isReplayable: false,
            retries: 0
        ),
        Case(
            testDescription: "an expectation was refused, and a body that comes once was not begun",
            loss: .expectationFailed,
            method: .post,
            isReplayable: false,
            isBodyBegun: false,
            retries: 1
        ),
    ]

    @Test(arguments: cases) func `what may be sent once more is, and what may be only once is once`(_ one: Case) async {
        let configuration = NIOTransport.Configuration()
        let pool = ConnectionPool(
            connector: Connector(configuration: configuration),
            configuration: configuration,
            eventLoops: EventLoops(MultiThreadedEventLoopGroup.singleton)
        )
        // What is submitted again is refused there, and nothing is dialled.
        pool.close(immediately: true)
        var request = TransportRequest(
            method: one.method,
            origin: Origin(scheme: .http, host: "example.test"),
            target: "/"
        )
        request.body = .reader(length: 1, isReplayable: one.isReplayable) { throw CancellationError() }
        let observer = RecordingObserver()
        let exchange = Exchange(request, observation: ExchangeObservation(observer: observer, metrics: nil))
        if one.isBodyBegun { exchange.noteBodyBegun() }
        var error = TransportError.closedEarly(isRequestSent: one.isSent)
        error.code = one.code
        let answers = (0..<3).map { _ in pool.resend(exchange, after: error, one.loss) }
        #expect(answers == (0..<3).map { $0 < one.retries })
        #expect(observer.names.first?.filter { $0 == "retried" }.count ?? 0 == one.retries)
        var isRequired = false
        if case .requiresHTTP1 = one.loss { isRequired = one.retries > 0 }
        #expect(exchange.key.requiresHTTP1 == isRequired)
    }

    @Test(arguments: [true, false])
    func `what a lost connection was sent stays sent when the next one is refused`(_ isSent: Bool) async {
        let configuration = NIOTransport.Configuration()
        let pool = ConnectionPool(
            connector: Connector(configuration: configuration),
            configuration: configuration,
            eventLoops: EventLoops(MultiThreadedEventLoopGroup.singleton)
        )
        pool.close(immediately: true)
        let origin = Origin(scheme: .http, host: "example.test")
        let exchange = Exchange(TransportRequest(method: .put, origin: origin, target: "/"))
        let error = await #expect(throws: TransportError.self) {
            _ = try await withUnsafeThrowingContinuation { continuation in
                _ = exchange.wait(continuation)
                _ = pool.resend(exchange, after: .closedEarly(isRequestSent: isSent), Self.reused)
            }
        }
        #expect(error?.code == .shutDown)
        #expect(error?.isRequestSent == isSent)
    }
}
