// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

/// Everything at once against a server that nobody here wrote, in both versions, plain and over TLS; what this process holds afterwards is
/// what it held before.
///
/// A thousand requests here; `make soak` sends 50,000.
@Suite(.timeLimit(.minutes(30)))
struct NginxSoakTests {
    static let requestCount = Scoreboard.requestCount(unlessTold: 4000) / 4

    /// What a request is to meet.
    enum Mix: CaseIterable {
        case small, large, streamed, dropped, head, missing, decoded, upload, closed, cancelled, hurried, refused,
            misnamed

        /// The names of the outcomes that are right.
        var outcomes: Set<String> {
            switch self {
            case .closed: ["connectionClosed"]
            case .cancelled: ["whole", "CancellationError"]
            case .hurried: ["whole", "timedOut"]
            case .refused: ["invalidRequest"]
            case .misnamed: ["untrustedCertificate"]
            default: ["whole"]
            }
        }
    }

    /// A transport, and where it goes.
    struct Way {
        var transport: NIOTransport
        var origin: Origin
        var isHTTP2 = false
        /// What is sent in another way, because the server has files only.
        var lacks: Set<Mix> = []
    }

    @Test func `mixed requests to nginx, and cancellations, leave nothing behind`() async throws {
        try await ExternalServer.run(.nginx) { server in
            for size in [200, 300_000] { try server.write(patternedData(count: size), as: "\(size).bin") }
            // What the process makes once and keeps is made before anything is counted.
            _ = try await Self.run(server, count: 300)
            let descriptors = ResidentMemory.descriptorCount()
            let memory = ResidentMemory.byteCount()
            let clock = ContinuousClock()
            var tally = [String: Int]()
            let time = try await clock.measure { tally = try await Self.run(server, count: Self.requestCount) }
            let growth = (ResidentMemory.byteCount() - memory) / 1024 / 1024
            print(
                "soak: \(Self.requestCount) requests to nginx in \(time), \(growth) MiB more than \(memory >> 20),",
                "descriptors \(descriptors) and \(ResidentMemory.descriptorCount()), \(tally.sorted { $0.key < $1.key })"
            )
            // Nobody else has descriptors here: nginx is another process, and every connection of ours is closed.
            #expect(ResidentMemory.descriptorCount() <= descriptors)
            #expect(growth < 32)
        }
    }

    @Test func `TLS connections that are given up take no memory with them`() async throws {
        try await ExternalServer.run(.nginx) { server in
            try server.write(patternedData(count: 300_000), as: "300000.bin")
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.tls.additionalRoots = [.pemFile(try #require(server.root))]
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: .https, host: "localhost", port: try #require(server.https).port)
            func giveUp(count: Int) async throws {
                for _ in 0..<count {
                    var request = TransportRequest(origin: origin, target: "/300000.bin")
                    request.responseMode = .streamed
                    var body = try await transport.exchange(request).body.makeAsyncIterator()
                    #expect(try await body.next() != nil)
                }
            }
            // What the process makes once and keeps is made before anything is counted.
            try await giveUp(count: 50)
            let memory = ResidentMemory.byteCount()
            try await giveUp(count: 500)
            let growth = (ResidentMemory.byteCount() - memory) >> 20
            // nginx closes without a close notice of TLS. Kept for seconds in case one comes, they would be more than 30 MiB.
            #expect(growth < 16)
            await transport.shutdown()
        }
    }

    /// Sends requests in every way and waits until everything is closed.
    static func run(_ server: ExternalServer, count: Int) async throws -> [String: Int] {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.tls.additionalRoots = [.pemFile(try #require(server.root))]
        let negotiating = NIOTransport(configuration: configuration)
        configuration.httpVersions = .http2
        let knowing = NIOTransport(configuration: configuration)
        func origin(_ url: URL?, tls: Bool = false) throws -> Origin {
            Origin(scheme: tls ? .https : .http, host: "localhost", port: try #require(url).port)
        }
        let ways = [
            Way(transport: negotiating, origin: try origin(server.http)),
            Way(transport: negotiating, origin: try origin(server.https, tls: true)),
            Way(
                transport: negotiating,
                origin: try origin(server.limited),
                lacks: [.decoded, .upload, .closed]
            ),
            Way(transport: negotiating, origin: try origin(server.https2, tls: true), isHTTP2: true),
            Way(transport: knowing, origin: try origin(server.http2), isHTTP2: true),
        ]
        let misnamed = Way(transport: negotiating, origin: try origin(server.misnamed, tls: true))
        let board = Scoreboard()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    while true {
                        let number = board.take()
                        guard number < count else { return }
                        let mix = Mix.allCases[number % Mix.allCases.count]
                        var way = mix == .misnamed ? misnamed : ways[number / Mix.allCases.count % ways.count]
                        if way.lacks.contains(mix) { way = ways[0] }
                        let outcome = await Self.send(mix, number, way)
                        if !mix.outcomes.contains(outcome) { Issue.record("\(mix) to \(way.origin): \(outcome)") }
                        board.note(outcome)
                    }
                }
            }
        }
        for transport in [negotiating, knowing] {
            // What was given up may still be connecting.
            while transport.statistics.inFlight + transport.statistics.connecting > 0 { await Task.yield() }
            #expect(transport.statistics.waiting == 0)
            await transport.shutdown()
            #expect(transport.statistics.open == 0)
        }
        return board.tally
    }

    /// Sends one request.
    ///
    /// - Returns: What became of it, in one word.
    static func send(_ mix: Mix, _ number: Int, _ way: Way) async -> String {
        let isLarge = [.large, .streamed, .dropped, .cancelled, .hurried].contains(mix)
        var request = TransportRequest(origin: way.origin, target: isLarge ? "/300000.bin" : "/200.bin")
        var (statuses, size) = ([200], isLarge ? 300_000 : 200)
        switch mix {
        case .streamed, .dropped: request.responseMode = .streamed
        case .head: (request.method, size) = (.head, 0)
        case .missing: (request.target, statuses, size) = ("/nothing/\(number)", [404], -1)
        case .decoded:
            request.target = "/gzip/200.bin"
            request.headers[.acceptEncoding] = "gzip"
            request.decodesContent = true
        case .upload:
            // Another one may have been there.
            (request.method, request.target, statuses, size) = (.put, "/upload/\(number % 100)", [201, 204], 0)
            request.body = .bytes(ByteBuffer(repeating: 0x78, count: number % 60_000))
        case .closed where way.isHTTP2: return "connectionClosed"
        case .closed: request.target = "/closed"
        case .hurried: request.timeouts.total = .microseconds(number * 37 % 50_000)
        case .refused: request.target = "/a b"
        case .small, .large, .cancelled, .misnamed: break
        }
        let exchange = Task { [request] in
            let response = try await way.transport.exchange(request)
            var (count, pieces) = (0, response.body.makeAsyncIterator())
            while let piece = try await pieces.next() {
                count += piece.readableBytes
                if mix == .dropped { break }
            }
            return (response.status.code, count)
        }
        if mix == .cancelled {
            for _ in 0..<(number % 50) { await Task.yield() }
            exchange.cancel()
        }
        switch await exchange.result {
        case .success(let response):
            let isWhole = size < 0 || mix == .dropped || response.1 == size
            return statuses.contains(response.0) && isWhole ? "whole" : "\(response.1) bytes with status \(response.0)"
        case .failure(let error as TransportError): return "\(error.code)"
        case .failure(let error): return "\(type(of: error))"
        }
    }
}
