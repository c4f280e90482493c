// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Receiving: frames of the connection, and frames that find their stream.
extension HTTP2Handler {
    /// The bytes of frames that wait to be sent before a peer that makes us answer and does not read counts as hostile.
    private static let maximumBacklog = 1024 * 1024

    func receive(_ frame: HTTP2Frame) throws(HTTP2Error) {
        try self.count(frame)
        switch frame {
        case .data(let id, let bytes, let flowLength, let isEnd):
            try self.receiveData(id, bytes, flowLength: flowLength, isEnd: isEnd)
        case .headers(let id, let block, let isEnd, let byteCount):
            try self.receiveHeaders(id, block, isEnd: isEnd, byteCount: byteCount)
        case .reset(let id, let code): self.carryOut(try self.state.reset(id, code))
        case .settings(let settings): try self.receiveSettings(settings)
        case .ping(let value):
            HTTP2FrameWriter.ping(value, isAcknowledgement: true, into: &self.outbound)
            try self.checkBacklog()
        case .pingAcknowledgement: self.state.pingAnswered()
        case .goAway(let last, let code): self.receiveGoAway(last: last, code: code)
        case .windowUpdate(let id, let increment): self.carryOut(try self.state.openWindow(id, by: increment))
        case .settingsAcknowledgement, .ignored: break
        }
    }

    private func count(_ frame: HTTP2Frame) throws(HTTP2Error) {
        switch frame {
        case .headers(let id, _, _, _): try self.state.count(progressOn: id)
        case .data(let id, let bytes, _, let isEnd):
            try self.state.count(progressOn: bytes.readableBytes > 0 || isEnd ? id : nil)
        default: try self.state.count(progressOn: nil)
        }
    }

    private func carryOut(_ reaction: State.Reaction) {
        switch reaction {
        case .none, .deliver: break
        case .stopBody(let stream): stream.io.stop()
        case .fallBack(let stream): self.fallBack(stream)
        case .fail(let stream, let error): self.breakOff(stream, error)
        case .reject(let stream, let error, let code): self.reject(stream, error, code: code)
        }
    }

    /// Refuses a peer that makes us answer and does not take the answers.
    private func checkBacklog() throws(HTTP2Error) {
        guard self.outbound.readableBytes > 4096 else { return }
        self.flush()
        guard self.unsentByteCount <= Self.maximumBacklog else {
            throw .limit("the server requests more acknowledgements than it reads")
        }
    }

    private func limits(of stream: Stream) -> Limits { stream.io.exchange.request.limits ?? self.limits }

    // MARK: Bodies

    private func receiveData(_ id: UInt32, _ bytes: ByteBuffer, flowLength: Int, isEnd: Bool) throws(HTTP2Error) {
        let byteCount = bytes.readableBytes
        let reaction = try self.state.data(id, byteCount: byteCount, flowLength: flowLength, isEnd: isEnd)
        if let increment = self.state.takeWindow() {
            HTTP2FrameWriter.windowUpdate(stream: 0, increment: increment, into: &self.outbound)
        }
        guard case .deliver(let stream) = reaction else { return self.carryOut(reaction) }
        stream.io.response.received(HTTP2Frame.headerSize + flowLength)
        if byteCount > 0 { stream.io.inbox.append(bytes) }
        self.emptyInbox(stream)
    }

    // MARK: Heads

    private func receiveHeaders(
        _ id: UInt32,
        _ block: ByteBuffer,
        isEnd: Bool,
        byteCount: Int
    ) throws(HTTP2Error) {
        let stream = try self.state.headers(id)
        var fields = HTTP2ResponseFields(limits: stream.map(self.limits(of:)) ?? self.limits)
        do {
            // Also for a stream that is gone: the block changes the table that the next ones are read with.
            try self.decoder.decode(block) { if stream != nil { fields.append($0) } }
        } catch {
            throw .violation("the server's header compression is broken: \(error.reason)", .compressionError)
        }
        guard let stream else { return }
        stream.io.response.received(byteCount)
        if stream.io.response.head == nil { stream.io.response.noteHead(byteCount: block.readableBytes) }
        do {
            try fields.check()
            try self.receiveHead(fields, isEnd: isEnd, on: stream)
        } catch {
            self.reject(stream, error)
        }
    }

    private func receiveHead(_ block: HTTP2ResponseFields, isEnd: Bool, on stream: Stream) throws(TransportError) {
        let limit = self.limits(of: stream).maximumInformationalResponseCount
        switch try stream.head(block.status?.code, isEnd: isEnd, informationalLimit: limit) {
        case .trailers:
            stream.io.trailers = block.fields.isEmpty ? nil : block.fields
            self.emptyInbox(stream)
        case .informational:
            guard let status = block.status else { return }
            stream.io.exchange.tell(.informational(status))
            if status.code == 100 { self.sendHeldBody(stream) }
            stream.io.exchange.request.onInformational?(status, block.fields)
        case .final(let stopsBody):
            guard let status = block.status else { return }
            if stopsBody { stream.io.stop() }
            if stopsBody, status == .expectationFailed {
                self.reset(stream, code: .cancel)
                return self.finish(stream, .failure(.expectationFailed), loss: .expectationFailed)
            }
            try self.receiveFinal(status, block.fields, isEnd: isEnd, on: stream)
        }
    }

    private func receiveFinal(
        _ status: HTTPResponse.Status,
        _ fields: HTTPFields,
        isEnd: Bool,
        on stream: Stream
    ) throws(TransportError) {
        var length: Int64?
        for field in fields where field.name == .contentLength {
            try HTTP1Framing.readLength(field.value, into: &length)
        }
        // A response without a body has none, whatever its Content-Length (section 8.1.1).
        let isBodiless = stream.io.exchange.request.method == .head || status.code == 204 || status.code == 304
        if isBodiless { length = 0 }
        stream.expect(length)
        guard let connection else { return }
        try stream.io.response.begin(
            ResponseHead(status: status, headers: fields, contentLength: length),
            hasBody: !isEnd && !isBodiless,
            limits: self.limits(of: stream),
            on: connection
        )
        // Re-arms the timer for the limit on the response's body.
        if !isEnd { self.armTimer(for: stream) }
        self.emptyInbox(stream)
    }

    // MARK: The connection

    private func receiveGoAway(last: UInt32, code: HTTP2ErrorCode) {
        let streams = self.state.goAway(last: last, code: code)
        if let connection { self.pool.retire(connection) }
        var error = TransportError(
            .connectionClosed,
            phase: .responseHead,
            reason: "the server ended the connection before it took the request: \(code)",
            isRequestSent: false
        )
        let isHTTP1Required = code == .http11Required
        if isHTTP1Required, !self.noteHTTP1Required() { self.failure = .onlyHTTP2 }
        for stream in streams {
            if isHTTP1Required {
                self.fallBack(stream)
                continue
            }
            // One that it has begun to answer all the same was sent, and is not sent again.
            error.isRequestSent = stream.hasResponse
            // A peer that took some of them brings the others forward each time; one that takes none is given up soon.
            let isDeclined = last > 0 && !stream.hasResponse
            self.finish(stream, .failure(error), loss: isDeclined ? .declined : nil)
        }
        if self.state.isEmpty { self.close() }
    }

    private func receiveSettings(_ settings: [(identifier: UInt16, value: UInt32)]) throws(HTTP2Error) {
        let change = try self.state.apply(settings)
        HTTP2FrameWriter.settingsAcknowledgement(into: &self.outbound)
        try self.checkBacklog()
        for size in change.headerTableSizes { self.encoder.allowTable(of: size) }
        if let capacity = change.capacity, let connection { self.pool.changeCapacity(of: connection, to: capacity) }
    }
}
