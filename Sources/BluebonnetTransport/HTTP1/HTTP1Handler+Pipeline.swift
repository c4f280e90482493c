// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Requests that are sent behind others, before the responses to those have come.
extension HTTP1Handler {
    /// The body of a response that nobody waits for is read up to this size, for the sake of those behind it.
    private static let droppedBodySize = 64 * 1024

    /// Sends a request, whose head is in ``outbound``, behind those that were sent.
    func sendBehind(_ entry: Active, context: ChannelHandlerContext) {
        entry.lineDeadline = entry.exchange.request.timeouts.queue.map { self.pool.clock.now() + TimeAmount($0) }
        self.pipeline.append(entry)
        // Once the peer has said that it ends the connection, nothing more may be sent (RFC 9112 section 9.6). It is not far from there to
        // the end of the response, when all in line goes elsewhere.
        if self.parser.keepsConnection {
            entry.isRequestSent = true
            context.writeAndFlush(self.wrapOutboundOut(self.outbound), promise: nil)
            entry.response.metrics.requestBodyEnded = self.pool.clock.instant()
        }
        entry.exchange.tell(.requestHeadEnded(SentRequestHead(self.outbound, httpVersion: .http11)))
        self.armTimer()
    }

    /// Turns to the next in line: what has been read beyond the response that has ended is the beginning of its response.
    ///
    /// - Returns: Whether there is one.
    func turnToNext(after ended: Active) -> Bool {
        guard let next = self.pipeline.next() else { return false }
        self.active = next
        self.parser.begin(method: next.exchange.request.method, limits: next.exchange.request.limits)
        let byteCount = self.inbound.readableBytes
        if byteCount > 0 {
            ended.response.giveBack(byteCount)
            next.response.received(byteCount)
        }
        // Its limits begin to run.
        self.lastActivity = self.pool.clock.now()
        self.responseAwaited = self.lastActivity
        self.armTimer()
        return true
    }

    /// Sends those that were in line once more, elsewhere: the connection has ended before a byte of their responses.
    ///
    /// They go before all others that wait, and never behind others again. The last is given back first, because each goes to the
    /// front; where a connection is made in the meantime, it may take a later one before an earlier one.
    func resend(_ line: [Active]) {
        for entry in line.reversed() {
            let exchange = entry.exchange
            exchange.observation?.didRelease(self.stamps.connectionID)
            guard !entry.isDropped else { continue }
            let error = TransportError.closedEarly(isRequestSent: entry.isRequestSent)
            if exchange.claimRetry(after: error, isReused: true, hasResponse: false) {
                exchange.tell(.retried(after: error))
                self.pool.submit(exchange, fresh: true)
            } else {
                entry.response.fail(error)
            }
        }
    }

    /// Reads past the response of an exchange that was given up while it was in line.
    ///
    /// - Throws: An error if that is not worth it, or not possible; the connection then ends.
    func skip(_ event: HTTP1ResponseParser.Event) throws(TransportError) {
        switch event {
        case .informational, .end: return
        case .head(let head):
            let length = self.parser.state == .ending ? 0 : head.contentLength ?? 0
            if head.status.code != 101, self.parser.keepsConnection, length <= Int64(Self.droppedBodySize) { return }
        case .body(let bytes):
            self.active?.response.metrics.responseBodyByteCount += Int64(bytes.readableBytes)
            let byteCount = self.active?.response.metrics.responseBodyByteCount ?? 0
            if byteCount <= Int64(Self.droppedBodySize) { return }
        }
        throw .closedEarly(isRequestSent: true)
    }
}
