// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// Requests that are sent behind one another, over sockets.
@Suite(.timeLimit(.minutes(1))) struct PipeliningTests {
    @Test func `sends requests before the responses to those before them have come`() async throws {
        let responses = ["one", "two", "three"].map { Line.response($0) }.joined()
        // It says nothing before it has all three.
        let steps: [ScriptedPeer.Step] = [
            .readHead, .send(Line.response("zero")), .readHead, .readHead, .readHead, .send(responses),
        ]
        try await Line.run([steps]) { line async throws in
            let answers = [await line.begin("/1"), await line.begin("/2"), await line.begin("/3")]
            for (answer, body) in zip(answers, ["one", "two", "three"]) {
                #expect(try await answer.value.body == body)
            }
            let targets = line.peer.receivedText.split(separator: "\r\n").filter { $0.hasPrefix("GET ") }
            #expect(targets == ["/0", "/1", "/2", "/3"].map { "GET \($0) HTTP/1.1" })
        }
    }

    @Test(arguments: [1, 3], [true, false]) func `everybody gets the response to the own request`(
        _ maximum: Int,
        _ streamed: Bool
    ) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = maximum
        try await Engine.run(engine: configuration) { engine async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    var request = engine.request(
                        number % 7 == 0 ? .head : .get,
                        "/bytes/\(number * 97)",
                        streamed: streamed
                    )
                    request.usesPipelining = number % 5 > 0
                    let outgoing = request
                    group.addTask {
                        let answer = try await engine.send(outgoing)
                        #expect(answer.response.headers[.contentLength] == "\(number * 97)")
                        #expect(answer.bytes.readableBytes == (outgoing.method == .head ? 0 : number * 97))
                    }
                }
                try await group.waitForAll()
            }
            #expect(engine.server.totalConnections <= maximum)
        }
    }

    /// What a peer does when it has read three requests that were sent behind one another.
    struct Ending: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [ScriptedPeer.Step]
        /// How many of the three fail, because their responses had begun.
        var failureCount = 0
    }

    static let endings: [Ending] = [
        Ending(
            testDescription: "Connection: close",
            steps: [.send(Line.response("last", "Connection: close\r\n")), .close]
        ),
        Ending(
            testDescription: "Connection: close, left open",
            steps: [.send(Line.response("last", "Connection: close\r\n"))]
        ),
        Ending(
            testDescription: "Connection: close, then more",
            steps: [.send(Line.response("last", "Connection: close\r\n") + Line.response("too much"))]
        ),
        Ending(testDescription: "close", steps: [.close]),
        Ending(testDescription: "reset", steps: [.reset]),
        Ending(testDescription: "a response, then close", steps: [.send(Line.response("one")), .close]),
        Ending(
            testDescription: "two responses, then close",
            steps: [.drip(Array((Line.response("one") + Line.response("two")).utf8)), .close]
        ),
        Ending(testDescription: "a body until the close", steps: [.send("HTTP/1.1 200 OK\r\n\r\nbody"), .close]),
        Ending(testDescription: "HTTP/1.0", steps: [.send("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi")]),
        Ending(testDescription: "half a status line", steps: [.send("HTTP/1."), .close], failureCount: 1),
        Ending(testDescription: "a status line", steps: [.send("HTTP/1.1 200 OK\r\n"), .close], failureCount: 1),
        Ending(
            testDescription: "a response and half a body",
            steps: [.send(Line.response("one") + String(Line.response("hello").dropLast(2))), .close],
            failureCount: 1
        ),
        Ending(testDescription: "nonsense", steps: [.send("SSH-2.0-OpenSSH_9.2\r\n")], failureCount: 1),
        Ending(
            testDescription: "a response and nonsense",
            steps: [.send(Line.response("one") + "SSH-2.0-OpenSSH_9.2\r\n")],
            failureCount: 1
        ),
    ]

    @Test(arguments: endings, [1, 4]) func `what is in line when the connection ends is answered elsewhere`(
        _ ending: Ending,
        _ maximum: Int
    ) async throws {
        let first: [ScriptedPeer.Step] = [.readHead, .send(Line.response("zero")), .readHead, .readHead, .readHead]
        let second = Array(repeating: [ScriptedPeer.Step.readHead, .send(Line.response("again"))], count: 3).flatMap {
            $0
        }
        try await Line.run([first + ending.steps, second], maximum: maximum) { line async throws in
            var failureCount = 0
            var bodies = [String]()
            for answer in [await line.begin("/1"), await line.begin("/2"), await line.begin("/3")] {
                switch await answer.result {
                case .success(let answer): bodies.append(answer.body)
                case .failure(let error):
                    failureCount += 1
                    #expect(error is TransportError)
                }
            }
            #expect(failureCount == ending.failureCount)
            #expect(bodies.count == 3 - ending.failureCount)
            #expect(!bodies.contains("too much"))
            // Each went out twice at most: those that were answered on the first connection once.
            let heads = line.peer.receivedText.occurrences(of: "GET ")
            let again = bodies.count { $0 == "again" }
            #expect(heads == 4 + again)
        }
    }

    @Test(arguments: 0..<10) func `many behind a response that closes, over and over, with one connection`(
        _ round: Int
    ) async throws {
        // Every connection takes two requests and says only in the second response that it was the last.
        let steps: [ScriptedPeer.Step] = [
            .readHead, .send(Line.response("first")), .readHead,
            .send(Line.response("second", "Connection: close\r\n")),
            .close,
        ]
        try await Line.run([steps]) { line async throws in
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<5 {
                    let request = line.request("/\(number)")
                    group.addTask { try await line.send(request).body }
                }
                for try await body in group { #expect(body == "first" || body == "second") }
            }
        }
    }

    @Test func `measures each exchange by itself`() async throws {
        let responses = [Line.response("one"), Line.response("fourteen")]
        let steps: [ScriptedPeer.Step] = [
            .readHead, .send(Line.response("zero")), .readHead, .readHead, .send(responses.joined()),
        ]
        try await Line.run([steps]) { line async throws in
            let answers = [await line.begin("/1"), await line.begin("/2")]
            for (answer, response) in zip(answers, responses) {
                let metrics = try await answer.value.response.metrics
                #expect(metrics.isConnectionReused)
                #expect(metrics.responseByteCount == Int64(response.utf8.count))
                let body = try await answer.value.body
                #expect(metrics.responseBodyByteCount == Int64(body.utf8.count))
                #expect(metrics.responseHeadByteCount == Int64(response.utf8.count - body.utf8.count))
                #expect(metrics.requestByteCount == metrics.requestHeadByteCount)
                #expect(metrics.requestHeadByteCount > 0)
                let stamps = [
                    metrics.started, metrics.requestHeadStarted, metrics.requestBodyEnded, metrics.responseHeadEnded,
                    metrics.responseBodyEnded,
                ]
                #expect(!stamps.contains(nil))
                #expect(stamps.compactMap(\.self) == stamps.compactMap(\.self).sorted())
            }
            let names = [
                "started", "connectionAcquired", "requestHeadStarted", "requestHeadEnded", "responseHeadStarted",
            ]
            for events in line.observer.names.dropFirst() {
                #expect(Array(events.prefix(5)) == names)
                #expect(events.suffix(2) == ["connectionReleased", "ended"])
            }
        }
    }

    @Test func `a server of HTTP/1.0 gets one request at a time`() async throws {
        let gate = Gate()
        var configuration = NIOTransport.Configuration()
        configuration.pool.maximumConnectionsPerOrigin = 1
        try await Engine.run(engine: configuration) { engine async throws in
            let old = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nold"
            engine.server.enqueue(
                .raw(old, thenCloses: false),
                ScriptedResponse(body: "one", effect: .hold(.beforeResponse, until: gate)),
                ScriptedResponse(body: "two")
            )
            var request = engine.request(.get, "/")
            request.usesPipelining = true
            let outgoing = request
            #expect(try await engine.send(outgoing).body == "old")
            let one = Task { try await engine.send(outgoing) }
            while engine.transport.statistics.inFlight == 0 { await Task.yield() }
            let two = Task { try await engine.send(outgoing) }
            while engine.transport.statistics.waiting == 0, engine.transport.statistics.inFlight < 2 {
                await Task.yield()
            }
            #expect(engine.transport.statistics.waiting == 1)
            gate.open()
            #expect(try await one.value.body == "one")
            #expect(try await two.value.body == "two")
        }
    }
}
