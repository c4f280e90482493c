// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Receiving: events of the parser become a collected response or a stream.
extension HTTP1Handler {
    /// Reads as many events as the bytes received so far hold; of an encoded body, as many as the consumer has room for.
    ///
    /// - Parameter drains: Whether to go on although the consumer is behind, because the connection is gone and nothing can wait there.
    func readResponse(drains: Bool = false) {
        guard let connection else { return }
        do {
            while let active = self.active {
                // What has been read takes no more room with its consumer than here; decoding would make more of it.
                if active.io.response.isStalled {
                    if !drains, active.io.response.isDecoding { break }
                } else if try active.io.response.decode(on: connection) {
                    continue
                }
                guard let event = try self.parser.next(&self.inbound) else { break }
                switch event {
                case .informational(let status, let fields): self.readInformational(status, fields, of: active)
                case .head(let head): try self.readHead(head, of: active, on: connection)
                case .body(let bytes):
                    guard try self.isWanted(self.state.body(bytes.readableBytes)) else { continue }
                    try active.io.response.feed(bytes, on: connection)
                case .end(let trailers):
                    try active.io.response.finishDecoding()
                    self.finishExchange(trailers: trailers)
                }
            }
        } catch {
            self.fail(error)
        }
    }

    /// The connection has ended, and with it a response that lasts until then.
    ///
    /// - Throws: An error if that response is not whole.
    func readEnd() throws(TransportError) {
        if let fault = self.writeFault {
            throw TransportError(mapping: fault, phase: .responseHead, isRequestSent: true)
        }
        guard case .end(let trailers) = try self.parser.finish() else { return }
        try self.active?.io.response.finishDecoding()
        self.finishExchange(trailers: trailers)
    }

    /// Delivers what one turn of the event loop has read: one answer, or one wake-up of the consumer, for any number of reads.
    func handOver() {
        if let connection { self.active?.io.response.handOver(on: connection) }
    }

    /// Whether a part of a response is to be delivered.
    ///
    /// - Throws: An error if nobody waits for it, and the connection has to end.
    private func isWanted(_ part: HTTP1State.Part) throws(TransportError) -> Bool {
        if part == .giveUp { throw .closedEarly(isRequestSent: true) }
        return part == .deliver
    }

    private func readInformational(_ status: HTTPResponse.Status, _ fields: HTTPFields, of active: Active) {
        guard self.state.informational() == .deliver else { return }
        active.io.exchange.tell(.informational(status))
        active.io.exchange.request.onInformational?(status, fields)
        // Last, because the exchange ends here if the connection takes nothing more.
        if status.code == 100 { self.sendHeldBody() }
    }

    private func readHead(
        _ head: ResponseHead,
        of active: Active,
        on connection: PooledConnection
    ) throws(TransportError) {
        let hasBody = self.parser.state != .ending
        let byteCount = hasBody ? head.contentLength ?? 0 : 0
        let awaitsContinue = active.awaitsContinue
        switch self.state.head(head.status.code, byteCount: byteCount, keepsConnection: self.parser.keepsConnection) {
        case .upgrade: try self.upgrade(head)
        case .other(let part): _ = try self.isWanted(part)
        case .deliver where awaitsContinue && head.status == .expectationFailed:
            self.fail(.expectationFailed, .expectationFailed)
        case .deliver(let stopsBody):
            if stopsBody { active.io.stopBody() }
            active.io.response.metrics.httpVersion = self.parser.isVersion11 ? .http11 : .http10
            active.io.response.noteHead(unreadByteCount: Int64(self.inbound.readableBytes))
            try active.io.response.begin(head, hasBody: hasBody, limits: self.parser.limits, on: connection)
            // Re-arms the timer for the limit on the response's body.
            if hasBody { self.armTimer() }
        }
    }

    /// The response is complete: the connection goes back before the caller is answered, so that its next request finds it.
    func finishExchange(trailers: HTTPFields?) {
        guard let connection else { return }
        // A connection whose request is not out is closed: what waits in the channel is never sent.
        self.active?.io.response.noteEnd(unsentByteCount: self.bufferedByteCount)
        let rest = self.inbound.readableBytes
        let end = self.state.end(
            rest: rest,
            isVersion11: self.parser.isVersion11,
            isOpen: self.context?.channel.isActive ?? false,
            now: self.pool.clock.now()
        )
        guard let (ended, ending) = end else { return }
        self.didEnd(ended)
        var release = ConnectionPool.State.Release()
        var lost = [Active]()
        switch ending {
        case .release:
            self.inbound = ByteBuffer()
            self.readAgain()
            release = self.pool.release(connection, mayPipeline: self.state.mayPipeline)
        case .turn(let next):
            self.turn(to: next, after: ended, rest: rest)
            self.readAgain()
            release = self.pool.release(connection, mayPipeline: self.state.mayPipeline)
        case .drain(let next):
            self.turn(to: next, after: ended, rest: rest)
        case .close(let behind):
            ended.io.pump?.stop()
            lost = behind
            self.close()
        }
        ended.io.response.finish(trailers: trailers)
        self.resend(lost)
        self.start(release)
    }

    /// Reads on for the next exchange in line, of whose response the beginning may have come with the last one.
    private func turn(to next: Active, after ended: Active, rest: Int) {
        self.parser.begin(method: next.io.exchange.request.method, limits: next.io.exchange.request.limits)
        if rest > 0 {
            ended.io.response.giveBack(rest)
            next.io.response.received(rest)
        }
        self.armTimer()
    }

    /// Starts what the pool gives to the connection that came back.
    func start(_ release: ConnectionPool.State.Release) {
        if let next = release.next { self.start(next) }
        for exchange in release.behind { self.start(exchange) }
    }
}
