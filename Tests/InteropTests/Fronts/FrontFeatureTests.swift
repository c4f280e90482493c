// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// What servers do beyond plain requests: client certificates, expectations, early responses, trailers, pipelining, and a reload.
///
/// `make interop` runs all of them and writes what it saw into `Documentation/Interop.md`.
@Suite(
    .serialized,  // One server at a time: each has a process and ports of its own.
    .timeLimit(.minutes(2))
) struct FrontFeatureTests {
    @Test(arguments: Front.kinds) func `a server does what the documentation says of it`(
        _ kind: ExternalServer.Kind
    ) async throws {
        try await ExternalServer.run(kind) { server in
            for feature in FrontFeature.allCases {
                for front in feature.fronts(of: kind, server) {
                    do {
                        try await Self.check(feature, front)
                        FrontTable.add(
                            server: kind.frontName,
                            version: server.version,
                            form: feature.rawValue,
                            httpVersion: front.isHTTP2 ? "2" : "1.1"
                        )
                    } catch {
                        Issue.record(error, "\(feature.rawValue), \(front.form)")
                    }
                }
            }
        }
    }

    private static func check(_ feature: FrontFeature, _ front: Front) async throws {
        if feature == .clientCertificate { return try await Self.checkCertificate(front) }
        try await front.withTransport {
            if feature == .pipelining { $0.pool.maximumConnectionsPerOrigin = 1 }
        } _: { transport in
            switch feature {
            case .clientCertificate: break
            case .continuation: try await Self.checkContinuation(front, transport)
            case .refusedExpectation: try await Self.checkRefusal(front, transport, .seconds(30))
            case .earlyResponse: try await Self.checkRefusal(front, transport, nil)
            case .requestTrailers: try await Self.checkRequestTrailers(front, transport)
            case .responseTrailers: try await Self.checkResponseTrailers(front, transport)
            case .pipelining: try await Self.checkPipelining(front, transport)
            case .reload: try await FrontReload(front: front, transport: transport).check()
            }
        }
    }

    /// With a certificate a request is answered; without one there is no handshake, or no answer but a refusal.
    private static func checkCertificate(_ front: Front) async throws {
        let request = TransportRequest(origin: front.origin, target: "/bytes/1")
        try await front.withTransport {
            $0.tls.clientIdentity = front.server.clientIdentity
        } _: { transport in
            let (response, _) = try await front.send(transport, request)
            #expect(response.status == .ok)
            #expect(response.metrics.tls?.version == front.tls)
            // nghttpd does not say whose it was.
            let name = try #require(HTTPField.Name("X-Client"))
            #expect(front.kind == .nghttpd || response.headers[name]?.hasSuffix("a client") == true)
        }
        try await front.withTransport { transport in
            do {
                let (response, _) = try await front.send(transport, request)
                #expect(response.status == .badRequest)
            } catch let error as TransportError {
                #expect([.tlsFailed, .connectionClosed].contains(error.code), "\(error)")
            }
        }
    }

    /// The body waits for 100 (Continue), and arrives whole.
    private static func checkContinuation(_ front: Front, _ transport: NIOTransport) async throws {
        let sent = SentZeros()
        let asked = Expectation(sent: sent)
        var request = TransportRequest(method: .post, origin: front.origin, target: "/upload")
        request.body = sent.body(count: 300_000)
        request.continueTimeout = .seconds(30)
        request.observer = asked
        let (response, answer) = try await front.send(transport, request)
        #expect(response.status == .ok)
        #expect(front.hasReceived(Data(count: 300_000), answer))
        #expect(asked.countWhenAsked == 0, "\(front.form)")
    }

    /// A body that is too large is refused before all of it was sent; where it waits for 100 (Continue), before any of it was.
    private static func checkRefusal(_ front: Front, _ transport: NIOTransport, _ patience: Duration?) async throws {
        let sent = SentZeros()
        var request = TransportRequest(method: .post, origin: front.origin, target: "/upload")
        request.body = sent.body(count: 64 << 20)
        request.continueTimeout = patience
        let (response, _) = try await front.send(transport, request)
        #expect(response.status == .contentTooLarge, "\(front.form)")
        #expect(sent.count < (patience == nil ? 64 << 20 : 1), "\(front.form)")
        let next = TransportRequest(origin: front.origin, target: "/bytes/1")
        #expect(try await front.send(transport, next).1.count == 1)
    }

    private static func checkRequestTrailers(_ front: Front, _ transport: NIOTransport) async throws {
        let data = patternedData(count: 100_000)
        var request = TransportRequest(method: .post, origin: front.origin, target: "/upload")
        request.headers[.trailer] = "Content-Language"
        request.body = .bytes(ByteBuffer(bytes: data))
        request.trailers = { [.contentLanguage: "en"] }
        let (response, answer) = try await front.send(transport, request)
        #expect(response.status == .ok)
        #expect(front.hasReceived(data, answer))
        #expect(String(decoding: answer, as: UTF8.self).hasSuffix(" content-language: en"), "\(front.form)")
        let next = TransportRequest(origin: front.origin, target: "/bytes/1")
        #expect(try await front.send(transport, next).1.count == 1)
        #expect(transport.statistics.opened == 1, "\(front.form)")
    }

    private static func checkResponseTrailers(_ front: Front, _ transport: NIOTransport) async throws {
        var request = TransportRequest(origin: front.origin, target: "/trailers")
        request.headers[.te] = "trailers"
        for _ in 0..<2 {
            let (response, body) = try await front.send(transport, request)
            #expect(body == Data("hello".utf8))
            #expect(response.body.trailers?[.contentLanguage] == "en", "\(front.form)")
        }
        #expect(transport.statistics.opened == 1, "\(front.form)")
    }

    /// Requests leave before the responses to those before them have come, and each gets its own.
    private static func checkPipelining(_ front: Front, _ transport: NIOTransport) async throws {
        func ask(_ size: Int) async throws -> ExchangeMetrics {
            var request = TransportRequest(origin: front.origin, target: "/bytes/\(size)")
            request.usesPipelining = true
            let (response, body) = try await front.send(transport, request)
            #expect(body.count == size, "\(front.form)")
            return response.metrics
        }
        // What follows is sent behind others only on a connection whose server is known to speak HTTP/1.1.
        _ = try await ask(1)
        let metrics = try await withThrowingTaskGroup(of: ExchangeMetrics.self) { group in
            for number in 0..<40 { group.addTask { try await ask(30_000 - number * 700) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let times = try metrics.map { (try #require($0.requestHeadStarted), try #require($0.responseHeadEnded)) }
            .sorted { $0.0 < $1.0 }
        #expect(zip(times, times.dropFirst()).contains { $1.0 < $0.1 }, "\(front.form)")
        #expect(transport.statistics.opened == 1, "\(front.form)")
    }
}

/// A body of zeros that knows how much of it was asked for.
private final class SentZeros: Sendable {
    private let sum = Mutex(0)

    var count: Int { self.sum.withLock { $0 } }

    /// A body with its length that can be sent once.
    func body(count: Int) -> TransportBody {
        .reader(length: Int64(count), isReplayable: false) { Reader(sent: self, left: count) }
    }

    private struct Reader: TransportBodyReader {
        let sent: SentZeros
        var left: Int

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let count = min(buffer.count, self.left)
            buffer[..<count].initializeMemory(as: UInt8.self, repeating: 0)
            self.left -= count
            self.sent.sum.withLock { $0 += count }
            return count
        }
    }
}

/// Notes how much of a body was asked for before the server said 100 (Continue).
private final class Expectation: TransportObserver {
    private let sent: SentZeros
    private let count = Mutex<Int?>(nil)

    init(sent: SentZeros) { self.sent = sent }

    /// Nil if the server did not say it.
    var countWhenAsked: Int? { self.count.withLock { $0 } }

    func observe(_ event: TransportEvent, of exchange: ExchangeID) {
        guard case .informational(.continue) = event else { return }
        // Caddy says it twice, once for itself and once for the origin.
        self.count.withLock { $0 = $0 ?? self.sent.count }
    }
}
