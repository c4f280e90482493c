// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// HTTP/2 as nginx and as Python's `h2` speak it.
@Suite(.timeLimit(.minutes(1)))
struct HTTP2ServersTests {
    /// Starts a server and an engine, and says where to find the one with the other.
    static func run(
        _ kind: ExternalServer.Kind,
        tls: Bool,
        versions: NIOTransport.HTTPVersions? = nil,
        _ body: (NIOTransport, Origin, ExternalServer) async throws -> Void
    ) async throws {
        try await ExternalServer.run(kind) { server in
            var configuration = NIOTransport.Configuration()
            let url = try #require(tls ? server.https2 : server.http2)
            if tls {
                configuration.tls.additionalRoots = [.pemFile(try #require(server.root))]
            } else {
                configuration.httpVersions = .http2
            }
            if let versions { configuration.httpVersions = versions }
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: tls ? .https : .http, host: "localhost", port: url.port)
            let result: Result<Void, any Error>
            do { result = .success(try await body(transport, origin, server)) } catch { result = .failure(error) }
            await transport.shutdown()
            try result.get()
        }
    }

    static func bytes(_ transport: NIOTransport, _ request: TransportRequest) async throws -> Data {
        let response = try await transport.exchange(request)
        #expect(response.status == .ok)
        return Data(try await response.body.collect(upTo: 1 << 26).readableBytesView)
    }

    @Test(arguments: [false, true])
    func `gets files of any size from nginx, many at a time on one connection`(tls: Bool) async throws {
        try await Self.run(.nginx, tls: tls) {
            (transport: NIOTransport, origin: Origin, server: ExternalServer) async throws in
            let sizes = [0, 1, 200, 16_384, 65_535, 65_536, 1_000_003, 20_000_000]
            for size in sizes { try server.write(patternedData(count: size), as: "\(size).bin") }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for size in sizes + [Int](repeating: 200, count: 300) {
                    group.addTask {
                        var request = TransportRequest(origin: origin, target: "/\(size).bin")
                        if size > 100_000 { request.responseMode = .streamed }
                        return try await Self.bytes(transport, request) == patternedData(count: size)
                    }
                }
                for try await isSame in group { #expect(isSame) }
            }
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test(arguments: [false, true])
    func `sends files to nginx, and gets the same back`(tls: Bool) async throws {
        try await Self.run(.nginx, tls: tls) {
            (transport: NIOTransport, origin: Origin, _: ExternalServer) async throws in
            for size in [1, 65_536, 3_000_000] {
                let data = patternedData(count: size)
                let put = TransportRequest(
                    method: .put,
                    origin: origin,
                    target: "/upload/\(size)",
                    body: .bytes(ByteBuffer(bytes: data))
                )
                #expect(try await transport.exchange(put).status.code == 201)
                let get = TransportRequest(origin: origin, target: "/upload/\(size)")
                #expect(try await Self.bytes(transport, get) == data)
            }
            for status in [204, 301, 403, 500, 503] {
                let request = TransportRequest(origin: origin, target: "/status/\(status)")
                #expect(try await transport.exchange(request).status.code == status)
            }
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test
    func `moves to another connection when nginx sends GOAWAY`() async throws {
        try await Self.run(.nginx, tls: false) {
            (transport: NIOTransport, origin: Origin, server: ExternalServer) async throws in
            try server.write(Data("hello".utf8), as: "file.txt")
            let limited = Origin(scheme: .http, host: "localhost", port: server.limitedHTTP2?.port)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        try await Self.bytes(transport, TransportRequest(origin: limited, target: "/file.txt")).count
                    }
                }
                for try await count in group { #expect(count == 5) }
            }
            for _ in 0..<10 {
                let request = TransportRequest(origin: limited, target: "/file.txt")
                #expect(try await Self.bytes(transport, request).count == 5)
            }
            #expect(transport.statistics.opened > 1)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `talks to Hypercorn in both directions`(tls: Bool, isHTTP1: Bool) async throws {
        try await Self.run(.hypercorn, tls: tls, versions: isHTTP1 ? .http1 : nil) {
            (transport: NIOTransport, origin: Origin, _: ExternalServer) async throws in
            let version = try await Self.bytes(transport, TransportRequest(origin: origin, target: "/version"))
            #expect(version == Data((isHTTP1 ? "1.1" : "2").utf8))
            for size in [0, 1, 65_536, 1_000_000] {
                let request = TransportRequest(origin: origin, target: "/bytes/\(size)", responseMode: .streamed)
                #expect(try await Self.bytes(transport, request).count == size)
                let data = patternedData(count: size)
                // Hypercorn may close a connection behind a response; then only what may be repeated is sent once more.
                let echo = TransportRequest(
                    method: .put,
                    origin: origin,
                    target: "/echo",
                    body: .bytes(ByteBuffer(bytes: data)),
                    responseMode: .streamed
                )
                #expect(try await Self.bytes(transport, echo) == data)
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let request = TransportRequest(origin: origin, target: "/bytes/\(number)")
                        return try await Self.bytes(transport, request).count - number
                    }
                }
                for try await difference in group { #expect(difference == 0) }
            }
            if !isHTTP1 { #expect(transport.statistics.opened == 1) }
        }
    }
}
