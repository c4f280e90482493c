// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Request bodies from asynchronous sequences, over sockets.
@Suite(.timeLimit(.minutes(1))) struct AsyncBodyTests {
    private struct Broken: Error {}

    private static func run(
        _ isHTTP2: Bool,
        _ body: (_ api: HTTPSession, _ server: TestServer) async throws -> Void
    ) async throws {
        var configuration = TestServer.Configuration()
        if isHTTP2 { configuration.http2 = .init() }
        try await TestServer.withServer(tls: isHTTP2 ? TestServer.TLS() : nil, configuration: configuration) { server in
            var engine = NIOTransport.Configuration()
            engine.proxy = .direct
            engine.tls.additionalRoots = [.pem(server.certificateAuthority.pem)]
            engine.pool.maximumConnectionsPerOrigin = 100
            let transport = NIOTransport(configuration: engine)
            try await body(try HTTPSession(server.url, transport: transport), server)
            await transport.shutdown()
        }
    }

    @Test(arguments: [false, true], [nil, 10])
    func `pieces are sent as they come`(_ isHTTP2: Bool, _ length: Int64?) async throws {
        try await Self.run(isHTTP2) { (api: HTTPSession, server: TestServer) async throws in
            let (pieces, writer) = AsyncStream.makeStream(of: Data.self)
            server.respond(to: "/log") { _ in ScriptedResponse() }
            async let response = api.post("log", body: .stream(pieces, length: length))
            let request = Task { try await server.takeRequest() }
            writer.yield(Data("hello".utf8))
            writer.yield(Data("world".utf8))
            writer.finish()
            #expect(try await response.status == .ok)
            #expect(try await request.value.body == Array("helloworld".utf8))
        }
    }

    @Test(.bug(id: "F371"), arguments: [false, true])
    func `a request is complete with its declared bytes, whether or not the sequence has ended`(
        _ isHTTP2: Bool
    ) async throws {
        try await Self.run(isHTTP2) { (api: HTTPSession, server: TestServer) async throws in
            let (pieces, writer) = AsyncStream.makeStream(of: Data.self)
            server.respond(to: "/log") { _ in ScriptedResponse() }
            async let response = api.post("log", body: .stream(pieces, length: 10))
            writer.yield(Data("hello".utf8))
            writer.yield(Data("world".utf8))
            #expect(try await response.status == .ok)
            #expect(try await server.takeRequest().body == Array("helloworld".utf8))
            // The rest of a form follows a part in the same way.
            let (part, partWriter) = AsyncStream.makeStream(of: Data.self)
            var form = MultipartFormData()
            try form.append(length: 5, name: "a", isReplayable: false) {
                try RequestBody.stream(part).makeReader()
            }
            form.append("b", name: "b")
            async let formResponse = api.post("upload", multipart: form)
            partWriter.yield(Data("hello".utf8))
            #expect(try await formResponse.status == .ok)
            writer.finish()
            partWriter.finish()
        }
    }

    /// The bodies that an asynchronous sequence can be.
    enum Kind: CaseIterable {
        case plain, withLength, compressed, paced, part

        /// A request whose body has a thousand bytes.
        func request(
            _ api: HTTPSession,
            _ stream: some AsyncSequence<Data, Never> & Sendable
        ) throws -> Request {
            var request = Request(method: .post, url: try #require(api.baseURL).appending(path: "upload"))
            request.body = .stream(stream, length: self == .withLength ? 1_000 : nil)
            if self == .compressed { request = request.compressingBody() }
            if self == .paced { request.rateLimit = RateLimit(upload: 1_000_000) }
            if self == .part {
                var form = MultipartFormData()
                let body = request.body
                try form.append(length: 1_000, name: "a", isReplayable: false) { try body.makeReader() }
                request.body = .multipart(form)
                request.headers[.contentType] = form.contentType
            }
            return request
        }
    }

    @Test(.bug(id: "F371"), .bug(id: "F373"), arguments: [false, true], Kind.allCases)
    func `many sequences without the next piece hold no thread`(_ isHTTP2: Bool, _ kind: Kind) async throws {
        try await Self.run(isHTTP2) { (api: HTTPSession, server: TestServer) async throws in
            // Half of them begin with some bytes.
            let streams = (0..<64).map { _ in AsyncStream.makeStream(of: Data.self) }
            for (_, writer) in streams.prefix(32) { writer.yield(Data(repeating: 7, count: 10)) }
            let uploads = try streams.map { stream, _ in
                let request = try kind.request(api, stream)
                return Task { try await api.session.response(for: request).status }
            }
            // A body that is read on the same thread pool.
            let directory = try TemporaryDirectory()
            try Data(repeating: 1, count: 100_000).write(to: directory.file("a"))
            var form = MultipartFormData()
            try form.append(file: directory.file("a"), name: "a")
            #expect(try await api.post("upload", multipart: form).status == .ok)
            for (index, (_, writer)) in streams.enumerated() {
                writer.yield(Data(repeating: 7, count: index < 32 ? 990 : 1_000))
                writer.finish()
            }
            for upload in uploads { #expect(try await upload.value == .ok) }
        }
    }

    @Test(.bug(id: "F371"), arguments: [false, true])
    func `a piece of a compressed sequence is sent as it comes`(_ isHTTP2: Bool) async throws {
        try await Self.run(isHTTP2) { (api: HTTPSession, _: TestServer) async throws in
            let (pieces, writer) = AsyncStream.makeStream(of: Data.self)
            var request = Request(method: .post, url: try #require(api.baseURL).appending(path: "upload"))
            request.body = .stream(pieces)
            let monitor = TransferMonitor()
            let compressed = request.compressingBody()
            let upload = Task { try await api.session.response(for: compressed, monitor: monitor).status }
            var total: Int64 = 0
            var counts = monitor.upload.makeAsyncIterator()
            for number in 0..<3 {
                writer.yield(Data("piece \(number)".utf8))
                let before = total
                while total == before, let progress = await counts.next() { total = progress.completed }
                #expect(total > before)
            }
            writer.finish()
            #expect(try await upload.value == .ok)
        }
    }

    @Test(.bug(id: "F441"), arguments: [false, true])
    func `a compressed sequence ends with its declared bytes`(_ isHTTP2: Bool) async throws {
        try await Self.run(isHTTP2) { (api: HTTPSession, _: TestServer) async throws in
            let (pieces, writer) = AsyncStream.makeStream(of: Data.self)
            defer { writer.finish() }
            var request = Request(method: .post, url: try #require(api.baseURL).appending(path: "upload"))
            request.body = .stream(pieces, length: 10)
            let compressed = request.compressingBody().addingContentDigestTrailer()
            async let response = api.session.response(for: compressed)
            writer.yield(Data("hello".utf8))
            writer.yield(Data("world".utf8))
            #expect(try await response.status == .ok)
        }
    }

    @Test(.bug(id: "F441")) func `a transport that collects a sequence ends with its declared bytes`() async throws {
        let (pieces, writer) = AsyncStream.makeStream(of: Data.self)
        defer { writer.finish() }
        let transport = StubTransport {
            .text(String(decoding: try await $0.body.bytes().readableBytesView, as: UTF8.self))
        }
        let url = try #require(URL(string: "http://h/"))
        async let response = Session(transport: transport).response(
            for: Request(method: .post, url: url, body: .stream(pieces, length: 10))
        )
        writer.yield(Data("hello".utf8))
        writer.yield(Data("world".utf8))
        #expect(try await response.body == Data("helloworld".utf8))
    }

    @Test(arguments: [false, true])
    func `an error of the sequence, and another number of bytes, fail the exchange`(_ isHTTP2: Bool) async throws {
        try await Self.run(isHTTP2) { (api: HTTPSession, _: TestServer) async throws in
            let (broken, writer) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
            writer.yield(Data("x".utf8))
            writer.finish(throwing: Broken())
            let (short, shortWriter) = AsyncStream.makeStream(of: Data.self)
            shortWriter.yield(Data("x".utf8))
            shortWriter.finish()
            let (long, longWriter) = AsyncStream.makeStream(of: Data.self)
            longWriter.yield(Data("xyz".utf8))
            longWriter.finish()
            for body in [RequestBody.stream(broken), .stream(short, length: 2), .stream(long, length: 2)] {
                let error = await #expect(throws: SessionError.self) { try await api.post("upload", body: body) }
                #expect(error?.code == .bodyFailed)
            }
        }
    }

    @Test(.bug(id: "F371"), arguments: [false, true], Kind.allCases)
    func `a cancelled exchange ends the iteration`(_ isHTTP2: Bool, _ kind: Kind) async throws {
        try await Self.run(isHTTP2) { (api: HTTPSession, server: TestServer) async throws in
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            let isFirst = Mutex(true)
            let pieces = AsyncStream<Data>(
                unfolding: {
                    let isFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    if isFirst { return Data(repeating: 7, count: 10) }
                    begin.finish()
                    do { try await untilCancelled() } catch { return nil }
                },
                onCancel: { end.finish() }
            )
            let request = try kind.request(api, pieces)
            let upload = Task { try await api.session.response(for: request) }
            for await _ in begun {}
            upload.cancel()
            await #expect(throws: CancellationError.self) { try await upload.value }
            for await _ in ended {}
        }
    }

    @Test(arguments: [false, true])
    func `the body of a response is relayed`(_ isHTTP2: Bool) async throws {
        try await Self.run(isHTTP2) { (api: HTTPSession, server: TestServer) async throws in
            let byteCount = 3_000_000
            server.respond(to: "/source") { _ in
                ScriptedResponse(body: .text(String(repeating: "bluebonnet", count: byteCount / 10)))
            }
            let source = try await api.stream("source")
            let response = try await api.put(
                "upload",
                body: .stream(source.body, length: source.body.expectedLength)
            )
            #expect(try response.decode(JSONValue.self)["byteCount"]?.int == byteCount)
        }
    }
}
