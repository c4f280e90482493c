// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// Two bodies, one after the other, as one; trailer fields and metrics are those of the second.
final class JoinedBody: ResponseBody.Source {
    private struct State {
        /// The remaining bodies.
        var bodies: [ResponseBody]
        /// The number of remaining bytes.
        var missing: Int64
        var isAbandoned = false
    }

    private let rest: ResponseBody
    private let state: Mutex<State>

    init(_ beginning: ResponseBody, _ rest: ResponseBody, byteCount: Int64) {
        self.rest = rest
        self.state = Mutex(State(bodies: [beginning, rest], missing: byteCount))
    }

    var trailers: HTTPFields? { self.rest.trailers }

    var metrics: ExchangeMetrics? { self.rest.metrics }

    func next() async throws -> ByteBuffer? {
        let bytes = try await self.piece()
        let missing = self.state.withLock { state in
            state.missing -= Int64(bytes?.readableBytes ?? 0)
            return state.missing
        }
        // The server may send another number of bytes than its Content-Range announced.
        guard missing >= 0, bytes != nil || missing == 0 else {
            self.abandon()
            throw TransportError(
                .protocolViolation,
                phase: .responseBody,
                reason: "the rest of a stored response has not the bytes that its Content-Range announced",
                isRequestSent: true
            )
        }
        return bytes
    }

    private func piece() async throws -> ByteBuffer? {
        while let body = try self.first() {
            if let bytes = body.collectedBytes {
                self.state.withLock { _ = $0.bodies.removeFirst() }
                if bytes.readableBytes > 0 { return bytes }
                continue
            }
            // A new iterator of a streamed body continues where the last one stopped.
            var iterator = body.makeAsyncIterator()
            if let bytes = try await iterator.next() { return bytes }
            self.state.withLock { _ = $0.bodies.removeFirst() }
        }
        return nil
    }

    /// The body to read next; nil at the end.
    private func first() throws -> ResponseBody? {
        try self.state.withLock { state in
            guard !state.isAbandoned else { throw CancellationError() }
            return state.bodies.first
        }
    }

    func abandon() {
        let bodies = self.state.withLock { state in
            if !state.bodies.isEmpty { state.isAbandoned = true }
            return state.bodies
        }
        for body in bodies { body.abandon() }
    }
}
