// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// Every way in which a peer can end an HTTP/1.1 connection, at every moment of an exchange, plain and over TLS.
@Suite(.timeLimit(.minutes(2))) struct PeerEndTests {
    /// What the peer does; afterwards it is silent, and its side of the socket is open only after `half`.
    enum Ending: CaseIterable, Sendable {
        /// Both sides, over TLS with a close notice.
        case close
        /// Its sending side only: over TLS a close notice and nothing after it.
        case half
        /// Both sides, without a close notice.
        case drop
        case reset

        var step: ScriptedPeer.Step {
            switch self {
            case .close: .close
            case .half: .closeOutput
            case .drop: .drop
            case .reset: .reset
            }
        }

        /// Whether it says that nothing is missing.
        func isClean(tls: Bool) -> Bool {
            switch self {
            case .close, .half: true
            case .drop: !tls
            case .reset: false
            }
        }
    }

    enum Expectation: Sendable {
        case response(status: Int, body: String)
        case failure(TransportError.Phase)
        /// A response if the ending is clean, else a failure in the body.
        case responseIfClean
    }

    struct Moment: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var sent: String
        var expectation: Expectation
        var uploads = false
        /// The endings after which there is one right outcome; others race with bytes that the system throws away.
        var endings = Ending.allCases
    }

    static let moments: [Moment] = [
        Moment(testDescription: "before the response", sent: "", expectation: .failure(.responseHead)),
        Moment(
            testDescription: "in the head",
            sent: "HTTP/1.1 200 OK\r\nA: b\r\n",
            expectation: .failure(.responseHead)
        ),
        Moment(
            testDescription: "after an informational response",
            sent: "HTTP/1.1 103 Early Hints\r\n\r\n",
            expectation: .failure(.responseHead)
        ),
        Moment(
            testDescription: "in a body with a length",
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok",
            expectation: .failure(.responseBody)
        ),
        Moment(
            testDescription: "in a chunk",
            sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nok",
            expectation: .failure(.responseBody)
        ),
        Moment(
            testDescription: "before the last chunk",
            sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
            expectation: .failure(.responseBody)
        ),
        Moment(
            testDescription: "before the end of the trailers",
            sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n",
            expectation: .failure(.responseBody)
        ),
        Moment(
            testDescription: "after a response",
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            expectation: .response(status: 200, body: "ok")
        ),
        Moment(
            testDescription: "after a body without a length",
            sent: "HTTP/1.1 200 OK\r\n\r\nok",
            expectation: .responseIfClean
        ),
        Moment(
            testDescription: "while the body goes out",
            sent: "",
            expectation: .failure(.responseHead),
            uploads: true
        ),
        Moment(
            testDescription: "in a response while the body goes out",
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok",
            expectation: .failure(.responseBody),
            uploads: true,
            endings: [.half]
        ),
        Moment(
            testDescription: "after a response while the body goes out",
            sent: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            expectation: .response(status: 200, body: "ok"),
            uploads: true,
            endings: [.half]
        ),
        Moment(
            testDescription: "after a verdict while the body goes out",
            sent: "HTTP/1.1 413 Content Too Large\r\n\r\nno",
            expectation: .response(status: 413, body: "no"),
            uploads: true,
            endings: [.half]
        ),
    ]

    @Test(arguments: moments, [false, true])
    func `whatever the moment, the outcome is right, at once, and the connection is gone`(
        _ moment: Moment,
        tls: Bool
    ) async throws {
        for ending in moment.endings {
            for streamed in [false, true] {
                try await Self.check(moment, ending, tls: tls, streamed: streamed)
            }
        }
    }

    static func check(_ moment: Moment, _ ending: Ending, tls: Bool, streamed: Bool) async throws {
        let authority = try CertificateAuthority.shared()
        let context = tls ? try ScriptedPeer.context(authority: authority) : nil
        let sent = moment.sent.isEmpty ? [] : [ScriptedPeer.Step.send(moment.sent)]
        try await ScriptedPeer.run([.readHead] + sent + [ending.step], tls: context) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.tls.additionalRoots = [.pem(authority.pem)]
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: tls ? .https : .http, host: "127.0.0.1", port: peer.port)
            let body = moment.uploads ? TransportBody.endless : .none
            var request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
            if streamed { request.responseMode = .streamed }
            // The second exchange finds a pool as it was before the first one.
            for count in 1...2 {
                let started = ContinuousClock.now
                let outcome: Result<(Int, String), any Error>
                do {
                    let response = try await transport.exchange(request)
                    let bytes = try await response.body.collect(upTo: 100)
                    outcome = .success((response.status.code, String(buffer: bytes)))
                } catch {
                    outcome = .failure(error)
                }
                Self.judge(outcome, of: moment, isClean: ending.isClean(tls: tls), "\(ending)")
                #expect(ContinuousClock.now - started < .seconds(5), "no limit had to pass: \(ending)")
                try await peer.waitUntilClosed(count)
                while transport.statistics.open > 0 { await Task.yield() }
                #expect(transport.statistics.inFlight + transport.statistics.waiting == 0)
                #expect(transport.statistics.opened == count)
            }
            await transport.shutdown()
        }
    }

    static func judge(
        _ outcome: Result<(Int, String), any Error>,
        of moment: Moment,
        isClean: Bool,
        _ comment: Comment
    ) {
        switch (moment.expectation, outcome) {
        case (.response(let status, let body), .success(let response)):
            #expect(response == (status, body), comment)
        case (.responseIfClean, .success(let response)):
            #expect(isClean && response == (200, "ok"), comment)
        case (.failure(let phase), .failure(let error as TransportError)):
            #expect(error.code == .connectionClosed, comment)
            #expect(error.phase == phase, comment)
            #expect(error.isRequestSent, comment)
        case (.responseIfClean, .failure(let error as TransportError)):
            #expect(!isClean && error.code == .connectionClosed && error.phase == .responseBody, comment)
        default:
            Issue.record("\(comment): \(outcome)")
        }
    }

    @Test(arguments: [TestServer.ConnectionEffect.close, .reset], [false, true])
    func `a connection that ends as soon as it is there is an error`(
        _ effect: TestServer.ConnectionEffect,
        isPooled: Bool
    ) async throws {
        var server = TestServer.Configuration()
        server.connectionEffect = effect
        try await Engine.run(server: server) { (engine: Engine) async throws in
            if isPooled { try? await engine.transport.warmUp(engine.origin) }
            let error = await #expect(throws: TransportError.self) {
                try await engine.send(engine.request(.post, "/"))
            }
            // It may end before the system has said that it is there, or before anything is sent on it.
            #expect([.connectionClosed, .connectFailed].contains(error?.code))
            try await engine.server.waitForConnections { $0.open == 0 }
            while engine.transport.statistics.open + engine.transport.statistics.connecting > 0 { await Task.yield() }
            #expect(engine.transport.statistics.inFlight + engine.transport.statistics.waiting == 0)
        }
    }

    @Test func `a peer that has begun to answer is not asked again`() async throws {
        try await Engine.run { (engine: Engine) async throws in
            #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            engine.server.enqueue(.raw("HTTP/1.1 103 Early Hints\r\n\r\n"))
            let error = await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            #expect(error?.code == .connectionClosed)
            #expect(engine.transport.statistics.opened == 1)
            #expect(engine.transport.statistics.started == 2)
        }
    }
}
