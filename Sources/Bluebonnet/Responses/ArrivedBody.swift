// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

extension StreamedResponse {
    /// Replaces a body that has arrived with its head by one that is read once, as any other.
    ///
    /// Whether a short body has arrived together with its head is chance: neither what a second iterator returns nor
    /// what is known at the end must depend on it.
    mutating func replaceByArrived(of call: Call) {
        guard let bytes = self.body.collectedBytes else { return }
        let trailers = self.body.trailers
        self.body = .empty
        let source = ArrivedBody(bytes, trailers, self, call)
        self.body = ResponseBody(source: source, expectedLength: Int64(bytes.readableBytes))
    }
}

/// A body that has arrived whole and is read once.
private final class ArrivedBody: ResponseBody.Source, ErrorConverting {
    private struct State {
        /// Nil once they have been read, and for an empty body.
        var bytes: ByteBuffer?
        /// Whether the end has been read.
        var isOver = false
        var isAbandoned = false
    }

    let trailers: HTTPFields?
    /// The response without its body, with the metrics of the whole exchange.
    private let head: StreamedResponse
    private let call: Call
    private let state: Mutex<State>

    init(_ bytes: ByteBuffer, _ trailers: HTTPFields?, _ head: StreamedResponse, _ call: Call) {
        self.trailers = trailers
        self.head = head
        self.call = call
        self.state = Mutex(State(bytes: bytes.readableBytes > 0 ? bytes : nil))
    }

    var metrics: ExchangeMetrics? { self.state.withLock { $0.isOver } ? self.head.metrics : nil }

    var remainingByteCount: Int64? { self.state.withLock { Int64($0.bytes?.readableBytes ?? 0) } }

    func abandon() {
        self.state.withLock { if !$0.isOver { $0.isAbandoned = true } }
    }

    func next() async throws -> ByteBuffer? {
        try self.state.withLock { state in
            guard !state.isAbandoned else { throw CancellationError() }
            if state.bytes == nil { state.isOver = true }
            return state.bytes.take()
        }
    }

    func converted(_ error: TransportError) -> any Error { self.head.bodyFailure(error, of: self.call) }
}
