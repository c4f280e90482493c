// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Bodies on their way to their consumers, and the end of streams.
extension HTTP2Handler {
    /// Hands on what has come for a stream, as far as its consumer has room, and gives the window back for it.
    func emptyInbox(_ stream: HTTP2Stream) {
        guard let connection, stream.reply.head != nil else { return }
        do {
            while !stream.reply.isStalled {
                if try stream.reply.decode(on: connection) { continue }
                guard let bytes = stream.inbox.popFirst() else { break }
                stream.unreturnedByteCount += bytes.readableBytes
                try stream.reply.feed(bytes, on: connection)
            }
            if !stream.reply.isStalled, stream.inbox.isEmpty, let end = stream.end {
                try stream.checkLength()
                try stream.reply.finishDecoding()
                return self.finish(stream, .success(end.trailers))
            }
        } catch {
            return self.reject(stream, error, code: .cancel)
        }
        self.returnWindow(of: stream)
        if stream.reply.isStreaming { return }
        // Whether the rest of the body is in the same read shows when the read is over.
        self.opening.append(stream)
        self.scheduleFlush()
    }

    private func returnWindow(of stream: HTTP2Stream) {
        guard stream.end == nil, !stream.reply.isStalled, stream.unreturnedByteCount >= self.windowSize / 2 else {
            return
        }
        HTTP2FrameWriter.windowUpdate(stream: stream.id, increment: stream.unreturnedByteCount, into: &self.outbound)
        stream.receiveWindow += stream.unreturnedByteCount
        stream.unreturnedByteCount = 0
        self.scheduleFlush()
    }

    /// Answers with streams where the body did not come together with the head.
    func openStreams() {
        guard !self.opening.isEmpty, let connection else { return }
        let opening = self.opening
        self.opening.removeAll(keepingCapacity: true)
        for stream in opening where self.streams[stream.id] === stream { stream.reply.openStream(on: connection) }
    }

    /// Ends a stream whose reply broke the protocol or a limit; the others go on.
    func reject(_ stream: HTTP2Stream, _ error: TransportError, code: HTTP2ErrorCode = .protocolError) {
        var error = error
        if stream.reply.head != nil { error.phase = .body }
        HTTP2FrameWriter.reset(stream: stream.id, code: code, into: &self.outbound)
        self.scheduleFlush()
        self.finish(stream, .failure(error))
    }

    /// Ends a stream that nobody wants any more.
    func drop(_ stream: HTTP2Stream, code: HTTP2ErrorCode) {
        HTTP2FrameWriter.reset(stream: stream.id, code: code, into: &self.outbound)
        self.scheduleFlush()
        self.remove(stream)
        self.release()
    }

    /// The exchange is over: the connection goes back before the caller is answered, so that its next request finds it.
    func finish(_ stream: HTTP2Stream, _ result: Result<HTTPFields?, TransportError>, releases: Bool = true) {
        if case .success = result, self.streams[stream.id] === stream { stream.reply.noteEnd() }
        guard self.remove(stream) else { return }
        switch result {
        case .success(let trailers):
            if !stream.isRequestSent {
                // The reply is complete, and the rest of the body is of no use to anybody (RFC 9113 section 8.1).
                HTTP2FrameWriter.reset(stream: stream.id, code: .cancel, into: &self.outbound)
                self.scheduleFlush()
            }
            let isReused = self.servedCount
            self.servedCount = isReused + 1
            if releases { self.release() }
            stream.reply.finish(trailers: trailers)
        case .failure(let error):
            if releases { self.release() }
            let hasReply = stream.reply.head != nil
            if stream.exchange.claimRetry(after: error, isReused: self.servedCount > 0, hasReply: hasReply) {
                stream.exchange.tell(.retried(after: error))
                self.pool.submit(stream.exchange, fresh: true)
            } else {
                stream.reply.fail(error)
            }
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
        if !self.held.isEmpty, !self.isRetiring {
            // The pool has counted those that are held already.
            _ = self.pool.release(connection).map { self.held.append($0) }
            return self.startHeld()
        }
        if let next = self.pool.release(connection) { self.start(next) }
        if self.isRetiring, self.streams.isEmpty { self.close() }
    }
}

extension HTTP2Stream {
    /// The length that the head told has to be the length of the body (RFC 9113 section 8.1.1).
    func checkLength() throws(TransportError) {
        guard let expected = self.expectedByteCount, expected != self.receivedByteCount else { return }
        throw .violation("the reply's body has \(self.receivedByteCount) bytes and not the \(expected) it said")
    }
}
