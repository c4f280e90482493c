// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// A test server that speaks HTTP/2, with the engine as its client.
@Suite(.timeLimit(.minutes(1))) struct HTTP2ServingTests {
    /// Runs a test against a server that speaks HTTP/2, and an engine.
    static func run(
        tls: Bool = false,
        http2: TestServer.HTTP2 = TestServer.HTTP2(),
        versions: NIOTransport.HTTPVersions? = nil,
        routeNames: Set<String>? = nil,
        _ body: (TestServer, NIOTransport, TransportRequest) async throws -> Void
    ) async throws {
        var options = TestServer.Configuration()
        options.http2 = http2
        options.routeNames = routeNames
        try await TestServer.withServer(tls: tls ? TestServer.TLS() : nil, configuration: options) { server in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.httpVersions = versions ?? (tls ? .negotiated : .http2)
            configuration.tls.additionalRoots = [.pem(server.certificateAuthority.pem)]
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(
                scheme: tls ? .https : .http,
                host: tls ? "localhost" : server.host,
                port: server.port
            )
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(server, transport, TransportRequest(origin: origin, target: "/")))
            } catch {
                result = .failure(error)
            }
            await transport.shutdown()
            try result.get()
        }
    }

    private static func text(_ response: TransportResponse) async throws -> String {
        String(buffer: try await response.body.collect(upTo: 1 << 24))
    }

    @Test(arguments: [false, true]) func `routes, script and handlers answer over HTTP/2 as over HTTP/1.1`(
        tls: Bool
    ) async throws {
        try await Self.run(tls: tls) { server, transport, request async throws in
            var request = request
            request.target = "/bytes/100000"
            let bytes = try await transport.exchange(request)
            #expect(bytes.metrics.httpVersion == .http2)
            #expect(bytes.headers[.contentLength] == "100000")
            #expect(try await bytes.body.collect(upTo: 1 << 20).readableBytes == 100_000)

            server.respond(to: "/own") { .json("[\"\($0.method) \($0.bodyText)\"]", status: .created) }
            request.target = "/own?x=1"
            request.method = .post
            request.body = .bytes(ByteBuffer(string: "abc"))
            let own = try await transport.exchange(request)
            #expect(own.status == .created)
            #expect(try await Self.text(own) == #"["POST abc"]"#)

            server.enqueue(ScriptedResponse(status: .notFound, body: "gone"))
            let gone = try await transport.exchange(request)
            #expect(gone.status == .notFound)
            let records = [
                try await server.takeRequest(), try await server.takeRequest(), try await server.takeRequest(),
            ]
            #expect(records.map(\.target) == ["/bytes/100000", "/own?x=1", "/own?x=1"])
            #expect(records.map(\.sequenceNumber) == [1, 2, 3])
            #expect(Set(records.map(\.connectionID)) == [1])
            let host = records[1].headers.first { $0.name.canonicalName == "host" }
            #expect(host?.value == "\(tls ? "localhost" : server.host):\(server.port)")
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test func `informational responses and trailers come over HTTP/2`() async throws {
        try await Self.run { server, transport, request async throws in
            var response = ScriptedResponse(body: "with trailers")
            response.informational = [.init(status: .init(code: 103), headers: [.location: "/style.css"])]
            response.trailers = [.eTag: "\"1\""]
            server.enqueue(response)
            let hints = Hints()
            var request = request
            request.onInformational = { status, fields in hints.add("\(status.code) \(fields[.location] ?? "")") }
            let answer = try await transport.exchange(request)
            #expect(try await Self.text(answer) == "with trailers")
            #expect(hints.all == ["103 /style.css"])
            #expect(answer.body.trailers?[.eTag] == "\"1\"")
        }
    }

    @Test func `a server that speaks both answers a client of HTTP/1.1`() async throws {
        for tls in [false, true] {
            try await Self.run(tls: tls, versions: .http1) { _, transport, request async throws in
                var request = request
                request.method = .put
                request.target = "/echo"
                let answer = try await transport.exchange(request)
                #expect(answer.status == .ok)
                #expect(answer.metrics.httpVersion == .http11)
            }
        }
    }

    @Test func `a handler of one's own answers everything, and routes are served by name only`() async throws {
        try await Self.run(routeNames: ["status"]) { server, transport, request async throws in
            var request = request
            for (target, status) in [("/status/204", 204), ("/bytes/1", 404), ("/", 404)] {
                request.target = target
                #expect(try await transport.exchange(request).status.code == status)
            }
            server.respond { _ in ScriptedResponse(status: .accepted) }
            for target in ["/status/204", "/anything"] {
                request.target = target
                #expect(try await transport.exchange(request).status == .accepted)
            }
        }
    }

    @Test func `RST_STREAM ends one response, at the place asked for, and the connection goes on`() async throws {
        try await Self.run { server, transport, request async throws in
            for moment in [SocketEffect.Moment.beforeResponse, .afterHead, .afterBody(10_000)] {
                var response = ScriptedResponse(body: .pattern(100_000))
                response.http2Faults = [.resetStream(moment, .internalError)]
                server.enqueue(response)
                var request = request
                request.method = .post
                request.responseMode = .streamed
                let error = await #expect(throws: TransportError.self) {
                    let answer = try await transport.exchange(request)
                    #expect(moment != .beforeResponse)
                    var count = 0
                    do {
                        for try await bytes in answer.body { count += bytes.readableBytes }
                    } catch {
                        #expect(count == (moment == .afterHead ? 0 : 10_000))
                        throw error
                    }
                }
                #expect(error?.code == .connectionClosed)
            }
            #expect(try await transport.exchange(request).status == .ok)
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test func `a request refused with RST_STREAM or GOAWAY is sent again, by itself`() async throws {
        let faults: [HTTP2Fault] = [
            .resetStream(.beforeResponse, .refusedStream), .goAway(.beforeResponse, isProcessed: false),
        ]
        for fault in faults {
            try await Self.run { server, transport, request async throws in
                var refusal = ScriptedResponse()
                refusal.http2Faults = [fault]
                server.enqueue(refusal, ScriptedResponse(body: "second"))
                #expect(try await Self.text(try await transport.exchange(request)) == "second")
                let counts = try await server.waitForConnections { $0.requests == 2 }
                #expect(counts.requests == 2)
            }
        }
    }

    @Test func `after GOAWAY the response still comes, and the next request opens a connection`() async throws {
        try await Self.run { server, transport, request async throws in
            var last = ScriptedResponse(body: .pattern(50_000))
            last.http2Faults = [.goAway(.afterBody(20_000))]
            server.enqueue(last, ScriptedResponse(body: "next"))
            let answer = try await transport.exchange(request)
            #expect(try await answer.body.collect(upTo: 1 << 20).readableBytes == 50_000)
            #expect(try await Self.text(try await transport.exchange(request)) == "next")
            #expect(transport.statistics.opened == 2)
        }
    }

    @Test func `settings and pings in the middle of a response leave it whole`() async throws {
        try await Self.run { server, transport, request async throws in
            var response = ScriptedResponse(body: .pattern(100_000))
            response.http2Faults = [
                .settings(.afterHead, [.maximumConcurrentStreams(1), .initialWindowSize(1000)]),
                .ping(.afterBody(1)), .settings(.afterBody(50_000), [.maximumFrameSize(65_536)]),
                .ping(.afterResponse),
            ]
            server.enqueue(response)
            let answer = try await transport.exchange(request)
            #expect(try await answer.body.collect(upTo: 1 << 20).readableBytes == 100_000)
            #expect(try await transport.exchange(request).status == .ok)
        }
    }

    @Test func `a window that never opens keeps an upload back until its limit`() async throws {
        var closed = TestServer.HTTP2()
        closed.initialWindowSize = 0
        try await Self.run(http2: closed) { _, transport, request async throws in
            // A client need not wait for the settings (RFC 9113 section 3.4): with the first response they are there.
            _ = try await transport.exchange(request)
            var request = request
            request.method = .post
            request.body = .bytes(ByteBuffer(string: "never"))
            request.timeouts.idle = .milliseconds(50)
            let stuck = request
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(stuck) }
            #expect(error?.code == .timedOut)
        }
        // The stream is open and is not read: as much as its window allows goes out.
        try await Self.run { server, transport, request async throws in
            server.enqueue(ScriptedResponse(effect: .doNotRead))
            var request = request
            request.method = .post
            request.body = .bytes(ByteBuffer(repeating: 1, count: 1_000_000))
            request.timeouts.idle = .milliseconds(50)
            let stuck = request
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(stuck) }
            #expect(error?.code == .timedOut)
            #expect((error?.requestBodyByteCount ?? 0) <= 65_535)
        }
    }

    @Test(arguments: [SocketEffect.close(.afterBody(10)), .drop(.afterBody(10)), .reset(.beforeResponse)])
    func `an effect on the socket ends the connection of the stream`(_ effect: SocketEffect) async throws {
        try await Self.run(tls: true) { server, transport, request async throws in
            server.enqueue(ScriptedResponse(body: .pattern(1000), effect: effect))
            var request = request
            request.method = .post
            let broken = request
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(broken) }
            #expect(error?.code == .connectionClosed)
            try await server.waitForConnections { $0.open == 0 }
        }
    }

    @Test func `raw bytes are refused over HTTP/2, and the test is told`() async throws {
        try await Self.run { server, transport, request async throws in
            server.enqueue(.raw("HTTP/1.1 200 OK\r\n\r\n"))
            #expect(try await transport.exchange(request).status.code == 500)
            #expect(server.takeFailures().count == 1)
        }
    }
}

/// What a client was told before its response.
private final class Hints: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { self.lines.withLock { $0 } }
    func add(_ line: String) { self.lines.withLock { $0.append(line) } }
}
