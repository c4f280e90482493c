// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// Two bodies, one after the other, as one; trailer fields and measurements are those of the second.
final class JoinedBody: ResponseBody.Source {
    private let rest: ResponseBody
    /// What is still to be read.
    private let bodies: Mutex<[ResponseBody]>

    init(_ beginning: ResponseBody, _ rest: ResponseBody) {
        self.rest = rest
        self.bodies = Mutex([beginning, rest])
    }

    var trailers: HTTPFields? { self.rest.trailers }

    var metrics: ExchangeMetrics? { self.rest.metrics }

    func next() async throws -> ByteBuffer? {
        while let body = self.bodies.withLock({ $0.first }) {
            if let bytes = body.collectedBytes {
                self.bodies.withLock { _ = $0.removeFirst() }
                if bytes.readableBytes > 0 { return bytes }
                continue
            }
            // Another iterator of a streamed body goes on where the last one stands.
            var iterator = body.makeAsyncIterator()
            if let bytes = try await iterator.next() { return bytes }
            self.bodies.withLock { _ = $0.removeFirst() }
        }
        return nil
    }

    func abandon() {
        for body in self.bodies.withLock({ $0 }) { body.abandon() }
    }
}
