// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// HTTP/1.1 as aiohttp speaks it: uploads, responses that come early, pipelining, client certificates.
@Suite(.timeLimit(.minutes(1)))
struct AiohttpTests {
    private static func run(
        tls: Bool = false,
        connections: Int = 16,
        _ change: (inout NIOTransport.Configuration, ExternalServer) -> Void = { _, _ in },
        _ body: (NIOTransport, Origin) async throws -> Void
    ) async throws {
        try await ExternalServer.run(.aiohttpServer) { server in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.pool.maximumConnectionsPerOrigin = connections
            if tls { configuration.tls.additionalRoots = [.pemFile(try #require(server.root))] }
            change(&configuration, server)
            let transport = NIOTransport(configuration: configuration)
            let port = tls ? try #require(server.https).port : server.http.port
            let origin = Origin(scheme: tls ? .https : .http, host: "localhost", port: port)
            let result: Result<Void, any Error>
            do { result = .success(try await body(transport, origin)) } catch { result = .failure(error) }
            await transport.shutdown()
            try result.get()
        }
    }

    private static func text(_ response: TransportResponse) async throws -> String {
        String(buffer: try await response.body.collect(upTo: 1 << 20))
    }

    /// Gives bytes as if from somewhere else, without a length.
    private struct Pieces: TransportBodyReader {
        var bytes: ByteBuffer

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let piece = self.bytes.readSlice(length: min(buffer.count, self.bytes.readableBytes)) ?? ByteBuffer()
            piece.withUnsafeReadableBytes { buffer.copyMemory(from: $0) }
            return piece.readableBytes
        }
    }

    @Test(arguments: [0, 1, 65_536, 4_000_003])
    func `uploads arrive whole: with a length, in chunks, and when the server asks for them`(_ size: Int) async throws {
        try await Self.run(connections: 1) { (transport: NIOTransport, origin: Origin) async throws in
            let data = patternedData(count: size)
            let bytes = ByteBuffer(bytes: data)
            var request = TransportRequest(method: .put, origin: origin, target: "/digest", body: .bytes(bytes))
            #expect(try await Self.text(transport.exchange(request)) == "\(size) \(digest(data)) None")
            request.body = .reader(length: nil, isReplayable: true) { Pieces(bytes: bytes) }
            #expect(try await Self.text(transport.exchange(request)) == "\(size) \(digest(data)) None")
            // It waits for half a minute unless the server says 100 (Continue).
            request.continueTimeout = .seconds(30)
            #expect(try await Self.text(transport.exchange(request)) == "\(size) \(digest(data)) 100-continue")
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test func `takes a response that comes before the body was sent`() async throws {
        try await Self.run { (transport: NIOTransport, origin: Origin) async throws in
            let request = TransportRequest(
                method: .post,
                origin: origin,
                target: "/early",
                body: .reader(length: nil, isReplayable: false) { EndlessZeros() }
            )
            let response = try await transport.exchange(request)
            #expect(response.status.code == 413)
            #expect(try await Self.text(response) == "large")
            let next = TransportRequest(origin: origin, target: "/wait/0")
            #expect(try await Self.text(transport.exchange(next)) == "0")
        }
    }

    @Test func `requests that are pipelined on one connection get the responses in their order`() async throws {
        try await Self.run(connections: 1) { (transport: NIOTransport, origin: Origin) async throws in
            let first = TransportRequest(origin: origin, target: "/wait/0")
            #expect(try await Self.text(transport.exchange(first)) == "0")
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        // Earlier ones take longer than those behind them.
                        var request = TransportRequest(origin: origin, target: "/wait/\(59 - number)")
                        request.usesPipelining = true
                        return try await Self.text(transport.exchange(request)) == "\(59 - number)"
                    }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test(arguments: [TLSOptions.Version.tls12, .tls13])
    func `shows a client certificate, and fails without one`(_ version: TLSOptions.Version) async throws {
        try await Self.run(tls: true) { configuration, server in
            configuration.tls.clientIdentity = server.clientIdentity
            (configuration.tls.minimumVersion, configuration.tls.maximumVersion) = (version, version)
        } _: { (transport: NIOTransport, origin: Origin) async throws in
            let response = try await transport.exchange(TransportRequest(origin: origin, target: "/certificate"))
            #expect(try await Self.text(response) == "a client")
            #expect(response.metrics.tls?.version == version)
        }
        try await Self.run(tls: true) { configuration, _ in
            (configuration.tls.minimumVersion, configuration.tls.maximumVersion) = (version, version)
        } _: { (transport: NIOTransport, origin: Origin) async throws in
            await #expect(throws: TransportError.self) {
                try await transport.exchange(TransportRequest(origin: origin, target: "/certificate"))
            }
        }
    }
}

/// A body that has no end.
private struct EndlessZeros: TransportBodyReader {
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        return buffer.count
    }
}
