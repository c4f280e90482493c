// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Delivery of bodies to their consumers, and the end of streams.
extension HTTP2Handler {
    /// Hands on what has come for a stream, as far as its consumer has room, and gives the window back for it.
    func emptyInbox(_ stream: Stream) {
        guard let connection, stream.io.response.head != nil else { return }
        do {
            while !stream.io.response.isStalled {
                if try stream.io.response.decode(on: connection) { continue }
                guard let bytes = stream.io.inbox.popFirst() else { break }
                stream.consume(bytes.readableBytes)
                try stream.io.response.feed(bytes, on: connection)
            }
            if !stream.io.response.isStalled, stream.io.inbox.isEmpty, stream.isEnded {
                try stream.checkLength()
                try stream.io.response.finishDecoding()
                return self.finish(stream, .success(stream.io.trailers))
            }
        } catch { return self.reject(stream, error, code: error.code == .protocolViolation ? .protocolError : .cancel) }
        if !stream.io.response.isStalled, let increment = self.state.takeWindow(of: stream) {
            HTTP2FrameWriter.windowUpdate(stream: stream.id, increment: increment, into: &self.outbound)
            self.scheduleFlush()
        }
        // Whether the rest of the body is in the same turn of the loop shows when that is over.
        if self.state.touch(stream) { self.scheduleFlush() }
    }

    /// Ends a stream that breaks off behind all that has come for it: that is handed on first, and is the whole response if its end has come.
    func breakOff(_ stream: Stream, _ error: TransportError, releases: Bool = true) {
        var result = Result<HTTPFields?, TransportError>.failure(error)
        if let connection, self.state.isOpen(stream), stream.io.response.head != nil {
            result = Result { () throws(TransportError) in
                while let bytes = stream.io.inbox.popFirst() {
                    try stream.io.response.takeRest(bytes, on: connection)
                }
                guard stream.isEnded else { throw error }
                try stream.checkLength()
                try stream.io.response.finishDecoding()
                return stream.io.trailers
            }
        }
        self.finish(stream, result, releases: releases)
    }

    /// Delivers what one turn of the event loop has read: one answer, or one wake-up of the consumer, for each stream.
    func handOver() {
        guard let connection else { return }
        for stream in self.state.takeTouched() where self.state.isOpen(stream) {
            stream.io.response.handOver(on: connection)
        }
    }

    /// Tells the peer that a stream is over, unless it is closed for the peer already.
    func reset(_ stream: Stream, code: HTTP2ErrorCode) {
        guard !stream.isClosed else { return }
        HTTP2FrameWriter.reset(stream: stream.id, code: code, into: &self.outbound)
        self.scheduleFlush()
    }

    /// Ends a stream whose response broke the protocol or a limit; the others go on.
    func reject(_ stream: Stream, _ error: TransportError, code: HTTP2ErrorCode = .protocolError) {
        self.reset(stream, code: code)
        self.finish(stream, .failure(error))
    }

    /// The exchange is over: the connection goes back before the caller is answered, so that its next request finds it.
    ///
    /// - Parameters:
    ///   - stream: The stream of the exchange.
    ///   - result: The trailers of its response, or how it failed.
    ///   - loss: How it was lost, where that is more than that the connection or the stream broke.
    ///   - releases: Whether the room of the stream goes back to the pool.
    func finish(
        _ stream: Stream,
        _ result: Result<HTTPFields?, TransportError>,
        loss: ExchangeLoss? = nil,
        releases: Bool = true
    ) {
        if case .success = result, self.state.isOpen(stream) { stream.io.response.noteEnd() }
        guard self.remove(stream) else { return }
        switch result {
        case .success(let trailers):
            // The response is complete, and the rest of the request's body is not needed (RFC 9113 section 8.1).
            if !stream.isRequestSent { self.reset(stream, code: .cancel) }
            self.state.noteServed()
            if releases { self.release() }
            stream.io.response.finish(trailers: trailers)
        case .failure(var error):
            if releases { self.release() }
            // The end of a connection is one error for all streams, wherever each of them stands.
            if stream.io.response.head != nil, error.phase == .responseHead { error.phase = .responseBody }
            // The streams of a connection that ends give nothing back, and what was gathered for them is not written.
            let broken = self.state.loss(of: stream, &error, dropsGathered: !releases)
            for loss in [loss, broken] {
                if let loss, self.pool.resend(stream.io.exchange, after: error, loss) { return }
            }
            stream.io.response.fail(error)
        }
    }

    /// Takes the exchange of a stream off the connection.
    @discardableResult func remove(_ stream: Stream) -> Bool {
        guard self.state.remove(stream) else { return false }
        stream.io.exchange.observation?.didRelease(self.stamps.connectionID)
        stream.io.stop()
        // What waits for the room of this stream gets another connection.
        if self.state.isRetiring, self.state.isEmpty, let connection { self.pool.retire(connection) }
        return true
    }

    /// Gives the room of one stream back.
    func release() {
        guard let connection else { return }
        if let next = self.pool.release(connection).next { self.start(next) }
        if self.state.isRetiring, self.state.isEmpty { self.close() }
    }
}
