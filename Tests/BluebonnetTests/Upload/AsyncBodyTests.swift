// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import Foundation
import HTTPTypes
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

    @Test(arguments: [false, true])
    func `a hundred sequences without a piece hold no thread`(_ isHTTP2: Bool) async throws {
        try await Self.run(isHTTP2) { (api: HTTPSession, server: TestServer) async throws in
            let streams = (0..<64).map { _ in AsyncStream.makeStream(of: Data.self) }
            let uploads = streams.map { stream, _ in
                Task { try await api.post("upload", body: .stream(stream)).status }
            }
            // A body that is read on the same thread pool.
            let directory = try TemporaryDirectory()
            try Data(repeating: 1, count: 100_000).write(to: directory.file("a"))
            var form = MultipartFormData()
            try form.append(file: directory.file("a"), name: "a")
            #expect(try await api.post("upload", multipart: form).status == .ok)
            for (_, writer) in streams {
                writer.yield(Data(repeating: 7, count: 1_000))
                writer.finish()
            }
            for upload in uploads { #expect(try await upload.value == .ok) }
        }
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

    @Test(arguments: [false, true])
    func `a cancelled exchange ends the iteration`(_ isHTTP2: Bool) async throws {
        try await Self.run(isHTTP2) { (api: HTTPSession, server: TestServer) async throws in
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            let pieces = AsyncStream<Data>(
                unfolding: {
                    begin.finish()
                    do { try await untilCancelled() } catch { return nil }
                },
                onCancel: { end.finish() }
            )
            let upload = Task { try await api.post("upload", body: .stream(pieces)) }
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
