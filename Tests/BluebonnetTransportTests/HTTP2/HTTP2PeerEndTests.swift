// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import BluebonnetTransport

/// Every way in which a peer can end an HTTP/2 connection, at every moment of a stream, plain and over TLS; and the end of its numbers.
@Suite(.timeLimit(.minutes(2))) struct HTTP2PeerEndTests {
    enum Ending: CaseIterable, Sendable {
        case close, half, drop, reset

        var step: RawPeer.Step {
            switch self {
            case .close: .close
            case .half: .halfClose
            case .drop: .drop
            case .reset: .reset
            }
        }
    }

    struct Moment: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var sent: [UInt8]
        /// Where the exchange fails; nil where the response is whole.
        var phase: TransportError.Phase?
        var uploads = false
    }

    static let moments: [Moment] = [
        Moment(testDescription: "before the response", sent: [], phase: .responseHead),
        Moment(
            testDescription: "after an informational response",
            sent: Wire.headers(1, [(":status", "103")]),
            phase: .responseHead
        ),
        Moment(testDescription: "in the head", sent: Wire.head(1).dropLast(), phase: .responseHead),
        Moment(testDescription: "after the head", sent: Wire.head(1, [("content-length", "2")]), phase: .responseBody),
        Moment(testDescription: "in the body", sent: Wire.head(1) + Wire.data(1, [1]), phase: .responseBody),
        Moment(
            testDescription: "in a frame of it",
            sent: Wire.head(1) + Wire.data(1, [1, 2]).dropLast(),
            phase: .responseBody
        ),
        Moment(
            testDescription: "before the trailers",
            sent: Wire.head(1) + Wire.data(1, [1, 2]),
            phase: .responseBody
        ),
        Moment(testDescription: "while the body goes out", sent: [], phase: .responseHead, uploads: true),
        Moment(
            testDescription: "when the response has ended, so that nothing is under way",
            sent: Wire.response(1),
            phase: nil
        ),
    ]

    @Test(arguments: moments, [false, true])
    func `whatever the moment, the outcome is right, at once, and the connection is gone`(
        _ moment: Moment,
        tls: Bool
    ) async throws {
        for ending in Ending.allCases {
            let behaviour = RawPeer.Behaviour { _ in
                (moment.sent.isEmpty ? [] : [.send(moment.sent)]) + [ending.step]
            }
            try await RawPeer.run(behaviour, tls: tls) {
                (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
                for count in 1...2 {
                    let started = ContinuousClock.now
                    let body = moment.uploads ? TransportBody.endless : .none
                    let request = TransportRequest(method: .post, origin: origin, target: "/", body: body)
                    do {
                        let response = try await transport.exchange(request)
                        let bytes = try await response.body.collect(upTo: 100)
                        #expect(moment.phase == nil && bytes.readableBytes == 2, "\(ending)")
                    } catch let error as TransportError {
                        #expect(error.code == .connectionClosed, "\(ending)")
                        #expect(error.phase == moment.phase, "\(ending): \(error)")
                        #expect(error.isRequestSent, "\(ending)")
                    }
                    #expect(ContinuousClock.now - started < .seconds(5), "no limit had to pass: \(ending)")
                    try await peer.until { $0.open == 0 }
                    while transport.statistics.open > 0 { await Task.yield() }
                    #expect(transport.statistics.inFlight + transport.statistics.waiting == 0)
                    #expect(transport.statistics.opened == count)
                }
            }
        }
    }

    @Test func `a peer that has begun to answer is not asked again`() async throws {
        let behaviour = RawPeer.Behaviour { request in
            request.number == 0
                ? [.send(Wire.response(1))] : [.send(Wire.headers(request.stream, [(":status", "103")])), .close]
        }
        try await RawPeer.run(behaviour) { (_: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            let request = TransportRequest(origin: origin, target: "/")
            #expect(try await transport.exchange(request).status == .ok)
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == .connectionClosed)
            #expect(transport.statistics.opened == 1)
        }
    }

    @Test(arguments: [1, 20]) func `a connection whose numbers are used up makes room for another`(
        atATime width: Int
    ) async throws {
        var engine = NIOTransport.Configuration()
        // Three numbers are left.
        engine.http2.firstStreamID = HTTP2Settings.maximumStreamID - 4
        let behaviour = RawPeer.Behaviour { [.send(Wire.response($0.stream))] }
        try await RawPeer.run(behaviour, engine: engine) {
            (peer: RawPeer, transport: NIOTransport, origin: Origin) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<width {
                    group.addTask {
                        for _ in 0..<20 / width {
                            let response = try await transport.exchange(Self.post(origin))
                            #expect(response.status == .ok)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let streams = peer.state.withLock { $0.frames.filter { $0.kind == 1 }.map(\.stream) }
            #expect(streams.count == 20)
            #expect(Set(streams) == [0x7FFF_FFFB, 0x7FFF_FFFD, 0x7FFF_FFFF])
            #expect(transport.statistics.opened >= 7)
            #expect(transport.statistics.inFlight == 0)
            // A connection without a number left is closed, not kept.
            try await peer.until { $0.open <= 1 }
        }
    }

    static func post(_ origin: Origin) -> TransportRequest {
        TransportRequest(method: .post, origin: origin, target: "/")
    }
}
