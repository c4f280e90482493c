// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Delivery of bodies to their consumers, and the end of streams.
extension HTTP2Handler {
    /// Delivers what has arrived for a stream, while its consumer has room, and opens the window again.
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
        } catch {
            // A body that ends early is malformed as well (RFC 9113 section 8.1.1).
            let isMalformed = error.code == .protocolViolation || error.code == .connectionClosed
            return self.reject(stream, error, code: isMalformed ? .protocolError : .cancel)
        }
        if !stream.io.response.isStalled, let increment = self.state.takeWindow(of: stream) {
            HTTP2FrameWriter.windowUpdate(stream: stream.id, increment: increment, into: &self.outbound)
            self.scheduleFlush()
        }
        // The consumer is woken at the end of the tick, in which the rest of the body may arrive.
        self.state.touch(stream)
        self.scheduleFlush()
    }

    /// Ends a stream after an error.
    ///
    /// Received data is delivered first; if it includes the end of the response, the exchange succeeds.
    func breakOff(_ stream: Stream, _ error: TransportError) {
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
        self.finish(stream, result)
    }

    /// Delivers what was read in an event loop tick: one response, or one wake-up of the consumer, for each stream.
    func handOver() {
        guard let connection else { return }
        for stream in self.state.takeTouched() where self.state.isOpen(stream) {
            stream.io.response.handOver(on: connection)
        }
    }

    /// Resets a stream, unless it is closed for the server already.
    func reset(_ stream: Stream, code: HTTP2ErrorCode) {
        guard !stream.isClosed else { return }
        HTTP2FrameWriter.reset(stream: stream.id, code: code, into: &self.outbound)
        self.scheduleFlush()
    }

    /// Resets a stream and fails its exchange; the others continue.
    func reject(_ stream: Stream, _ error: TransportError, code: HTTP2ErrorCode = .protocolError) {
        self.reset(stream, code: code)
        self.finish(stream, .failure(error))
    }

    /// Ends an exchange; the stream is released before the caller is resumed, so that its next request finds room.
    ///
    /// - Parameters:
    ///   - stream: The stream of the exchange.
    ///   - result: The trailers of its response, or the error.
    ///   - loss: How the exchange was lost, unless the connection or the stream broke.
    func finish(_ stream: Stream, _ result: Result<HTTPFields?, TransportError>, loss: ExchangeLoss? = nil) {
        if case .success = result, self.state.isOpen(stream) { stream.io.response.noteEnd() }
        guard self.remove(stream) else { return }
        switch result {
        case .success(let trailers):
            // The response is complete, and the rest of the request's body is not needed (RFC 9113 section 8.1).
            if !stream.isRequestSent { self.reset(stream, code: .cancel) }
            self.state.noteServed()
            self.release()
            stream.io.response.finish(trailers: trailers)
        case .failure(var error):
            self.release()
            let broken = self.state.loss(of: stream, &error)
            for loss in [loss, broken] {
                if let loss, self.pool.resend(stream.io.exchange, after: error, loss) { return }
            }
            stream.io.response.fail(error)
        }
    }

    /// Removes a stream from the connection.
    @discardableResult func remove(_ stream: Stream) -> Bool {
        guard self.state.remove(stream) else { return false }
        stream.io.exchange.observation?.didRelease(self.stamps.connectionID)
        stream.io.stop()
        // Exchanges that wait for the room of this stream get another connection.
        if self.state.isRetiring, self.state.isEmpty, let connection { self.pool.retire(connection) }
        return true
    }

    /// Releases one stream to the pool, unless the whole connection has failed.
    func release() {
        guard let connection, !self.state.hasFailed else { return }
        if let next = self.pool.release(connection).next { self.start(next) }
        if self.state.isRetiring, self.state.isEmpty { self.close() }
    }
}
