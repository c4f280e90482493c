// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHPACK

/// Receiving: frames of the connection, and frames that find their stream.
extension HTTP2Handler {
    func receive(_ frame: HTTP2Frame) throws(HTTP2Fault) {
        try self.countIdle(frame)
        switch frame {
        case .data(let id, let bytes, let flowLength, let isEnd):
            try self.receiveData(id, bytes, flowLength: flowLength, isEnd: isEnd)
        case .headers(let id, let block, let isEnd):
            try self.receiveHeaders(id, block, isEnd: isEnd)
        case .reset(let id, let code):
            try self.receiveReset(id, code)
        case .settings(let settings):
            try self.receiveSettings(settings)
        case .ping(let value):
            HTTP2FrameWriter.ping(value, isAcknowledgement: true, into: &self.outbound)
            try self.checkBacklog()
        case .pingAcknowledgement:
            self.pingSent = nil
        case .goAway(let last, let code):
            self.receiveGoAway(last: last, code: code)
        case .windowUpdate(let id, let increment):
            try self.receiveWindowUpdate(id, increment)
        case .settingsAcknowledgement, .ignored:
            break
        }
    }

    /// Counts frames without progress, which cost the peer next to nothing and the client processor time.
    ///
    /// What is sent on a stream that has ended is one of them.
    private func countIdle(_ frame: HTTP2Frame) throws(HTTP2Fault) {
        switch frame {
        case .headers(let id, _, _) where self.streams[id] != nil:
            self.idleFrameCount = 0
        case .data(let id, let bytes, _, let isEnd)
        where (bytes.readableBytes > 0 || isEnd) && self.streams[id] != nil:
            self.idleFrameCount = 0
        default:
            if self.idleFrameCount == 0 { self.idleFramesSince = self.lastHeard }
            self.idleFrameCount += 1
        }
        guard self.idleFrameCount > Self.maximumIdleFrameCount else { return }
        guard self.idleFramesSince + Self.idleFrameSpan < self.lastHeard else {
            throw .limit("the peer sent \(Self.maximumIdleFrameCount) frames without any part of a response")
        }
        self.idleFrameCount = 0
    }

    /// Refuses a peer that makes us answer and does not take the answers.
    private func checkBacklog() throws(HTTP2Fault) {
        guard let channel = self.context?.channel, self.outbound.readableBytes > 4096 else { return }
        self.flush()
        let waiting = try? channel.syncOptions?.getOption(.bufferedWritableBytes)
        guard waiting ?? 0 <= Self.maximumBacklog else {
            throw .limit("the peer wants more answers than it takes")
        }
    }

    /// The stream of a frame; nil if it has ended on our side, so that the frame is late.
    private func find(_ id: UInt32) throws(HTTP2Fault) -> HTTP2Stream? {
        if let stream = self.streams[id] { return stream }
        guard id % 2 == 1, id < self.nextStreamID else {
            throw .violation("the peer sent a frame on stream \(id), which nobody opened")
        }
        return nil
    }

    private func limits(of stream: HTTP2Stream) -> Limits { stream.exchange.request.limits ?? self.limits }

    // MARK: Bodies

    private func receiveData(_ id: UInt32, _ bytes: ByteBuffer, flowLength: Int, isEnd: Bool) throws(HTTP2Fault) {
        self.returnWindow(flowLength)
        guard let stream = try self.find(id) else { return }
        stream.receiveWindow -= flowLength
        guard stream.receiveWindow >= 0 else {
            throw .violation("the peer sent more than the window allows", .flowControlError)
        }
        guard stream.response.head != nil, stream.end == nil else {
            return self.reject(stream, .violation("the peer sent a body before its head, or after its end"))
        }
        // A frame that is empty, or all padding, is no progress.
        if bytes.readableBytes > 0 || isEnd { stream.lastActivity = self.lastHeard }
        stream.receivedByteCount += Int64(bytes.readableBytes)
        do { try stream.checkExcess() } catch { return self.reject(stream, error) }
        stream.response.received(flowLength)
        // Padding is used up as it comes.
        stream.unreturnedByteCount += flowLength - bytes.readableBytes
        if bytes.readableBytes > 0 { stream.inbox.append(bytes) }
        if isEnd { stream.end = HTTP2Stream.End(trailers: nil) }
        self.emptyInbox(stream)
    }

    /// Gives the connection's window back: what one stream does not read must not hold up the others.
    ///
    /// Whether the peer keeps to this window is not checked: what it can make us hold is bounded by the windows of the streams, which are.
    private func returnWindow(_ count: Int) {
        self.unreturnedByteCount += count
        guard self.unreturnedByteCount >= Self.connectionWindow / 2 else { return }
        HTTP2FrameWriter.windowUpdate(stream: 0, increment: self.unreturnedByteCount, into: &self.outbound)
        self.unreturnedByteCount = 0
    }

    // MARK: Heads

    private func receiveHeaders(_ id: UInt32, _ block: ByteBuffer, isEnd: Bool) throws(HTTP2Fault) {
        // Whatever stream it is for, the block changes the table that the next ones are read with.
        var rest = block
        let fields: HPACKHeaders
        do {
            fields = try self.decoder.decodeHeaders(from: &rest)
        } catch is NIOHPACKErrors.MaxHeaderListSizeViolation {
            throw .limit(
                "the response's header fields are larger than the limit of \(self.limits.maximumHeadByteCount) bytes"
            )
        } catch {
            throw .violation("the peer's header compression is broken", .compressionError)
        }
        guard let stream = try self.find(id) else { return }
        stream.lastActivity = self.lastHeard
        stream.response.received(block.readableBytes)
        do {
            try self.receiveHead(
                try HTTP2ResponseFields(fields, limits: self.limits(of: stream)),
                isEnd: isEnd,
                on: stream
            )
        } catch {
            self.reject(stream, error)
        }
    }

    private func receiveHead(
        _ block: HTTP2ResponseFields,
        isEnd: Bool,
        on stream: HTTP2Stream
    ) throws(TransportError) {
        guard stream.response.head == nil else {
            guard isEnd, block.status == nil, stream.end == nil else {
                throw .violation("the response has a second head, or trailers before its end")
            }
            stream.end = HTTP2Stream.End(trailers: block.fields.isEmpty ? nil : block.fields)
            return self.emptyInbox(stream)
        }
        guard let status = block.status else { throw .violation("the response has no status") }
        if status.code < 200 { return try self.receiveInformational(status, block.fields, isEnd: isEnd, on: stream) }
        try self.receiveFinal(status, block.fields, isEnd: isEnd, on: stream)
    }

    private func receiveInformational(
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields,
        isEnd: Bool,
        on stream: HTTP2Stream
    ) throws(TransportError) {
        guard !isEnd, status.code != 101 else { throw .violation("the response ends with an informational status") }
        stream.informationalCount += 1
        let limit = self.limits(of: stream).maximumInformationalResponseCount
        guard stream.informationalCount <= limit else { throw .tooManyInformationalResponses(limit) }
        stream.responseAwaited = stream.lastActivity
        stream.exchange.tell(.informational(status))
        if status.code == 100 { self.sendAwaitedBody(stream) }
        stream.exchange.request.onInformational?(status, fields)
    }

    private func receiveFinal(
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields,
        isEnd: Bool,
        on stream: HTTP2Stream
    ) throws(TransportError) {
        var length: Int64?
        for field in fields where field.name == .contentLength {
            try HTTP1Framing.readLength(field.value, into: &length)
        }
        // A response without a body has none, whatever its Content-Length (section 8.1.1).
        let isBodiless = stream.exchange.request.method == .head || status.code == 204 || status.code == 304
        stream.expectedByteCount = isBodiless ? 0 : length
        let head = ResponseHead(status: status, headers: fields, contentLength: stream.expectedByteCount)
        if stream.continuation != nil || status.code >= 300 {
            // A final response came before the whole body was sent: the rest is not sent.
            stream.abandonBody()
        }
        stream.response.noteHead(unreadByteCount: 0)
        guard let connection else { return }
        try stream.response.begin(
            head,
            hasBody: !isEnd && !isBodiless,
            limits: self.limits(of: stream),
            on: connection
        )
        // Re-arms the timer for the limit on the response's body.
        if isEnd { stream.end = HTTP2Stream.End(trailers: nil) } else { self.armTimer(for: stream) }
        self.emptyInbox(stream)
    }

    // MARK: Ends

    private func receiveReset(_ id: UInt32, _ code: HTTP2ErrorCode) throws(HTTP2Fault) {
        guard let stream = try self.find(id) else { return }
        if code == .noError, stream.end != nil {
            // The response is complete, and the rest of the request is not wanted (section 8.1).
            stream.abandonBody()
            stream.isRequestSent = true
            return
        }
        if code == .http11Required { return self.fallBack(stream) }
        // REFUSED_STREAM promises that nothing was done with the request (RFC 9113 section 8.7).
        let isRefused = code == .refusedStream
        let error = TransportError(
            .connectionClosed,
            phase: .responseHead,
            reason: "the peer reset the stream: \(code)",
            isRequestSent: !isRefused
        )
        self.finish(stream, .failure(error))
    }

    private func receiveGoAway(last: UInt32, code: HTTP2ErrorCode) {
        self.isRetiring = true
        if let connection { self.pool.retire(connection) }
        let error = TransportError(
            .connectionClosed,
            phase: .responseHead,
            reason: "the peer ended the connection before it took the request: \(code)",
            isRequestSent: false
        )
        self.isHTTP1Required = code == .http11Required
        if self.isHTTP1Required, !self.noteHTTP1Required() { self.failure = .onlyHTTP2 }
        for stream in self.streams.values.sorted(by: { $0.id < $1.id }) where stream.id > last {
            if self.isHTTP1Required {
                self.fallBack(stream)
                continue
            }
            // A peer that took some of them brings the others forward each time; one that takes none is given up soon.
            let isDeclined = last > 0 && stream.response.head == nil && stream.exchange.request.body.isReplayable
            self.finish(stream, .failure(error), loss: isDeclined ? .declined : nil)
        }
        if self.streams.isEmpty { self.close() }
    }

    // MARK: Settings and windows

    private func receiveSettings(_ settings: [(identifier: UInt16, value: UInt32)]) throws(HTTP2Fault) {
        let before = self.peer
        try self.peer.apply(settings)
        HTTP2FrameWriter.settingsAcknowledgement(into: &self.outbound)
        try self.checkBacklog()
        if self.peer.headerTableSize != before.headerTableSize {
            let size = Swift.min(self.peer.headerTableSize, HPACKEncoder.defaultDynamicTableSize)
            do { try self.encoder.setDynamicTableSize(size) } catch { throw .violation("\(error)", .compressionError) }
        }
        let change = self.peer.initialWindowSize - before.initialWindowSize
        for stream in self.streams.values where change != 0 {
            stream.sendWindow += change
            guard stream.sendWindow <= HTTP2Settings.maximumWindow else {
                throw .violation("the peer opened a window too far", .flowControlError)
            }
            self.enqueue(stream)
        }
        if self.peer.maximumConcurrentStreams != before.maximumConcurrentStreams, let connection {
            self.pool.changeCapacity(of: connection, to: self.peer.maximumConcurrentStreams)
        }
    }

    private func receiveWindowUpdate(_ id: UInt32, _ increment: Int) throws(HTTP2Fault) {
        guard id != 0 else {
            self.sendWindow += increment
            guard increment > 0 else { throw .violation("the peer opened the connection's window by nothing") }
            guard self.sendWindow <= HTTP2Settings.maximumWindow else {
                throw .violation("the peer opened the connection's window too far", .flowControlError)
            }
            return
        }
        guard let stream = try self.find(id) else { return }
        guard increment > 0 else { return self.reject(stream, .violation("the peer opened a window by nothing")) }
        stream.sendWindow += increment
        guard stream.sendWindow <= HTTP2Settings.maximumWindow else {
            return self.reject(stream, .violation("the peer opened a window too far"), code: .flowControlError)
        }
        if !stream.isRequestSent { stream.lastActivity = self.lastHeard }
        self.enqueue(stream)
    }
}

extension TransportError {
    static func tooManyInformationalResponses(_ limit: Int) -> TransportError {
        TransportError(
            .limitExceeded,
            phase: .responseHead,
            reason: "the peer sent more than \(limit) informational responses",
            isRequestSent: true
        )
    }
}
