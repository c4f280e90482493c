// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Receiving: events of the parser become a collected response or a stream.
extension HTTP1Handler {
    /// Reads as many events as the bytes received so far hold; of an encoded body, as many as the consumer has room for.
    ///
    /// - Parameter drains: Whether to go on decoding although the consumer is behind, because the connection is gone and nothing can wait there.
    func readResponse(drains: Bool = false) {
        guard let connection else { return }
        do {
            while self.active != nil {
                // What has been read takes no more room with its consumer than here; decoding would make more of it.
                if self.isWaitingForConsumer, !drains, self.active?.response.isDecoding ?? false { break }
                if try self.active?.response.decode(on: connection) ?? false { continue }
                guard let event = try self.parser.next(&self.inbound) else { break }
                switch event {
                case .end(let trailers):
                    try self.active?.response.finishDecoding()
                    // What is left may be the beginning of the next response in line.
                    self.finishExchange(trailers: trailers)
                case _ where self.active?.isDropped ?? false: try self.skip(event)
                case .informational(let status, let fields): self.readInformational(status, fields)
                case .head(let head): try self.readHead(head)
                case .body(let bytes): try self.active?.response.feed(bytes, on: connection)
                }
            }
        } catch {
            return self.fail(self.located(error))
        }
    }

    /// Delivers what one turn of the event loop has read: one answer, or one wake-up of the consumer, for any number of reads.
    func handOver() {
        if let connection { self.active?.response.handOver(on: connection) }
    }

    /// The error with the phase it belongs to: the parser does not know where the exchange stands.
    private func located(_ error: TransportError) -> TransportError {
        var error = error
        if self.active?.response.head != nil { error.phase = .responseBody }
        return error
    }

    private func readInformational(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        self.responseAwaited = self.lastActivity
        self.active?.exchange.tell(.informational(status))
        if status.code == 100 { self.sendAwaitedBody() }
        self.active?.exchange.request.onInformational?(status, fields)
    }

    private func readHead(_ head: ResponseHead) throws(TransportError) {
        if head.status.code == 101 { return try self.upgrade(head) }
        if let continuation = self.active?.continuation {
            // A final response came instead of 100 Continue: the body is not sent.
            continuation.cancel()
            self.active?.continuation = nil
        }
        if let pump = self.active?.pump, head.status.code >= 300 {
            // A final response came before the whole body was sent (RFC 9110 section 15.5.14 is one case): the rest is not sent.
            pump.stop()
            self.active?.pump = nil
        }
        let unread = Int64(self.inbound.readableBytes)
        self.active?.response.metrics.httpVersion = self.parser.isVersion11 ? .http11 : .http10
        self.active?.response.noteHead(unreadByteCount: unread)
        let hasBody = self.parser.state != .ending
        guard let connection else { return }
        try self.active?.response.begin(head, hasBody: hasBody, limits: self.parser.limits, on: connection)
        // Re-arms the timer for the limit on the response's body.
        if hasBody { self.armTimer() }
    }

    /// The response is complete: the connection goes back before the caller is answered, so that its next request finds it.
    func finishExchange(trailers: HTTPFields?) {
        self.active?.response.noteEnd()
        guard let active = self.endActive(), let connection else { return }
        self.servedCount += 1
        // squid keeps its connection after it has refused a request with a body, and reads no other one from it.
        let isStuck = active.hasBody && self.parser.status == .proxyAuthenticationRequired
        let isLasting = self.parser.keepsConnection && active.isRequestSent && !active.asksForClose && !isStuck
        self.mayPipeline = isLasting && self.parser.isVersion11
        let isFollowed = isLasting && self.turnToNext(after: active)
        var release = ConnectionPool.State.Release()
        var lost = [Active]()
        if isLasting, self.isUsable, isFollowed || self.inbound.readableBytes == 0 {
            if !isFollowed { self.inbound = ByteBuffer() }
            self.readAgain()
            release = self.pool.release(connection, mayPipeline: self.mayPipeline)
        } else if !isFollowed {
            active.pump?.stop()
            lost = self.pipeline.removeAll()
            self.close()
        }
        active.response.finish(trailers: trailers)
        self.resend(lost)
        self.start(release)
    }

    /// Starts what the pool gives to the connection that came back.
    func start(_ release: ConnectionPool.State.Release) {
        if let next = release.next { self.start(next) }
        for exchange in release.behind { self.start(exchange) }
    }
}
