// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Delivery of bodies to their consumers, and the end of streams.
extension HTTP2Handler {
    /// Hands on what has come for a stream, as far as its consumer has room, and gives the window back for it.
    func emptyInbox(_ stream: HTTP2Stream) {
        guard let connection, stream.response.head != nil else { return }
        do {
            while !stream.response.isStalled {
                if try stream.response.decode(on: connection) { continue }
                guard let bytes = stream.inbox.popFirst() else { break }
                stream.unreturnedByteCount += bytes.readableBytes
                try stream.response.feed(bytes, on: connection)
            }
            if !stream.response.isStalled, stream.inbox.isEmpty, let end = stream.end {
                try stream.checkLength()
                try stream.response.finishDecoding()
                return self.finish(stream, .success(end.trailers))
            }
        } catch {
            return self.reject(stream, error, code: error.code == .protocolViolation ? .protocolError : .cancel)
        }
        self.returnWindow(of: stream)
        // Whether the rest of the body is in the same turn of the loop shows when that is over.
        guard !stream.isTouched else { return }
        stream.isTouched = true
        self.touched.append(stream)
        self.scheduleFlush()
    }

    private func returnWindow(of stream: HTTP2Stream) {
        guard stream.end == nil, !stream.response.isStalled, stream.unreturnedByteCount >= self.windowSize / 2 else {
            return
        }
        HTTP2FrameWriter.windowUpdate(stream: stream.id, increment: stream.unreturnedByteCount, into: &self.outbound)
        stream.receiveWindow += stream.unreturnedByteCount
        stream.unreturnedByteCount = 0
        self.scheduleFlush()
    }

    /// Delivers what one turn of the event loop has read: one answer, or one wake-up of the consumer, for each stream.
    func handOver() {
        guard !self.touched.isEmpty, let connection else { return }
        let touched = self.touched
        self.touched.removeAll(keepingCapacity: true)
        for stream in touched {
            stream.isTouched = false
            if self.streams[stream.id] === stream { stream.response.handOver(on: connection) }
        }
    }

    /// Ends a stream whose response broke the protocol or a limit; the others go on.
    func reject(_ stream: HTTP2Stream, _ error: TransportError, code: HTTP2ErrorCode = .protocolError) {
        HTTP2FrameWriter.reset(stream: stream.id, code: code, into: &self.outbound)
        self.scheduleFlush()
        self.finish(stream, .failure(error))
    }

    /// Ends the stream of an abandoned exchange.
    func drop(_ stream: HTTP2Stream, code: HTTP2ErrorCode) {
        HTTP2FrameWriter.reset(stream: stream.id, code: code, into: &self.outbound)
        self.scheduleFlush()
        self.remove(stream)
        self.release()
    }

    /// The exchange is over: the connection goes back before the caller is answered, so that its next request finds it.
    ///
    /// - Parameters:
    ///   - stream: The stream of the exchange.
    ///   - result: The trailers of its response, or how it failed.
    ///   - loss: How it was lost, where that is more than that the connection or the stream broke.
    ///   - releases: Whether the room of the stream goes back to the pool.
    func finish(
        _ stream: HTTP2Stream,
        _ result: Result<HTTPFields?, TransportError>,
        loss: ExchangeLoss? = nil,
        releases: Bool = true
    ) {
        if case .success = result, self.streams[stream.id] === stream { stream.response.noteEnd() }
        guard self.remove(stream) else { return }
        switch result {
        case .success(let trailers):
            if !stream.isRequestSent {
                // The response is complete, and the rest of the request's body is not needed (RFC 9113 section 8.1).
                HTTP2FrameWriter.reset(stream: stream.id, code: .cancel, into: &self.outbound)
                self.scheduleFlush()
            }
            self.servedCount += 1
            if releases { self.release() }
            stream.response.finish(trailers: trailers)
        case .failure(var error):
            if releases { self.release() }
            // The end of a connection is one error for all streams, wherever each of them stands.
            if stream.response.head != nil, error.phase == .responseHead { error.phase = .responseBody }
            // A head that was gathered and not written has not left this process.
            if self.progress.writtenByteCount <= stream.headMark { error.isRequestSent = false }
            // An informational response is one too: the peer has begun with the request.
            let hasResponse = stream.response.metrics.responseByteCount > 0
            let isReused = self.servedCount > 0 || self.isHTTP1Required
            let loss = loss ?? .broken(isReused: isReused, hasResponse: hasResponse)
            if !self.pool.resend(stream.exchange, after: error, loss) { stream.response.fail(error) }
        }
    }

    @discardableResult
    private func remove(_ stream: HTTP2Stream) -> Bool {
        guard self.streams.removeValue(forKey: stream.id) != nil else { return false }
        self.streamIDs[ObjectIdentifier(stream.exchange)] = nil
        stream.exchange.observation?.didRelease(self.stamps.connectionID)
        stream.stop()
        return true
    }

    /// Gives the room of one stream back.
    private func release() {
        guard let connection else { return }
        if let next = self.pool.release(connection).next { self.start(next) }
        if self.isRetiring, self.streams.isEmpty { self.close() }
    }
}

extension HTTP2Stream {
    /// The length that the head told has to be the length of the body (RFC 9113 section 8.1.1).
    func checkLength() throws(TransportError) {
        guard let expected = self.expectedByteCount, expected != self.receivedByteCount else { return }
        throw .violation("the response's body has \(self.receivedByteCount) bytes and not the \(expected) it said")
    }

    /// Bytes beyond that length need not be waited for.
    func checkExcess() throws(TransportError) {
        guard let expected = self.expectedByteCount, expected < self.receivedByteCount else { return }
        throw .violation("the response's body has more than the \(expected) bytes it may have")
    }
}
