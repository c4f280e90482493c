// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Receiving: the events of the parser become a response.
extension HTTP1Handler {
    /// Parses the received bytes; those of an encoded body only while the consumer has room.
    ///
    /// - Parameter drains: Whether to continue although the consumer is slow, because the connection ends.
    func readResponse(drains: Bool = false) {
        guard let connection else { return }
        do {
            while let active = self.active {
                // Bytes take as much memory in the consumer's buffer as here, but their decoded form takes more.
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
                    if try self.state.body(bytes.readableBytes) { try active.io.response.feed(bytes, on: connection) }
                case .end(let trailers):
                    try active.io.response.finishDecoding()
                    self.finishExchange(trailers: trailers)
                }
            }
        } catch {
            self.fail(error)
        }
    }

    /// Delivers what was read in an event loop tick: one response, or one wake-up, for any number of reads.
    func handOver() {
        if let connection { self.active?.io.response.handOver(on: connection) }
    }

    private func readInformational(_ status: HTTPResponse.Status, _ fields: HTTPFields, of active: Active) {
        guard self.state.informational() else { return }
        active.io.exchange.tell(.informational(status))
        active.io.exchange.request.onInformational?(status, fields)
        // Last, because a write error ends the exchange.
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
        let keepsConnection = self.parser.keepsConnection
        switch try self.state.head(head.status.code, byteCount: byteCount, keepsConnection: keepsConnection) {
        case .upgrade: try self.upgrade(head)
        case .skip: break
        case .deliver where awaitsContinue && head.status == .expectationFailed:
            self.fail(.expectationFailed, .expectationFailed)
        case .deliver(let stopsBody):
            if stopsBody { active.io.stop() }
            active.io.response.metrics.httpVersion = self.parser.isVersion11 ? .http11 : .http10
            active.io.response.noteHead(unreadByteCount: Int64(self.inbound.readableBytes))
            try active.io.response.begin(head, hasBody: hasBody, limits: self.parser.limits, on: connection)
            // Re-arms the timer for the limit on the response's body.
            if hasBody { self.armTimer() }
        }
    }

    /// Completes the response; the connection is released before the caller is resumed, whose next request finds it.
    func finishExchange(trailers: HTTPFields?) {
        guard let connection else { return }
        // If the request is incomplete, the connection is closed: the bytes that wait in the channel are never sent.
        self.active?.io.response.noteEnd(unsentByteCount: self.context?.unsentByteCount ?? 0)
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
            release = self.release(connection)
        case .turn(let next):
            self.turn(to: next, after: ended, rest: rest)
            self.readAgain()
            release = self.release(connection)
        case .drain(let next):
            self.turn(to: next, after: ended, rest: rest)
        case .close(let behind):
            lost = behind
            self.close()
        }
        ended.io.response.finish(trailers: trailers)
        self.resend(lost)
        self.start(release)
    }

    /// Continues with the next exchange in the pipeline; bytes of its response may have arrived with the last one.
    private func turn(to next: Active, after ended: Active, rest: Int) {
        self.parser.begin(method: next.io.exchange.request.method, limits: next.io.exchange.request.limits)
        if rest > 0 {
            ended.io.response.giveBack(rest)
            next.io.response.received(rest)
        }
        self.armTimer()
    }

    /// Returns the connection to the pool.
    func release(_ connection: PooledConnection) -> ConnectionPool.State.Release {
        self.pool.release(connection, mayPipeline: self.state.mayPipeline, idleLimit: self.parser.idleLimit)
    }

    /// Starts the exchanges that the pool has assigned to the released connection.
    func start(_ release: ConnectionPool.State.Release) {
        if let next = release.next { self.start(next) }
        for exchange in release.behind { self.start(exchange) }
    }
}
