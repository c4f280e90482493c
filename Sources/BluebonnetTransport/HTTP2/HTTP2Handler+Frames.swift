// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore

/// Receiving: frames of the connection and of its streams.
extension HTTP2Handler {
    func receive(_ frame: HTTP2Frame) throws(HTTP2Error) {
        if !frame.isPartOfResponse { try self.state.countIdle() }
        switch frame {
        case .data(let id, let bytes, let flowLength, let isEnd):
            try self.receiveData(id, bytes, flowLength: flowLength, isEnd: isEnd)
        case .headers(let id, let block, let isEnd, let byteCount):
            try self.receiveHeaders(id, block, isEnd: isEnd, byteCount: byteCount)
        case .reset(let id, let code): self.carryOut(try self.state.reset(id, code))
        case .settings(let settings): try self.receiveSettings(settings)
        case .ping(let value):
            HTTP2FrameWriter.ping(value, isAcknowledgement: true, into: &self.outbound)
            try self.state.acknowledged(HTTP2Frame.pingSize, unsent: self.context?.unsentByteCount ?? 0)
        case .pingAcknowledgement: self.state.pingAnswered()
        case .goAway(let last, let code): self.receiveGoAway(last: last, code: code)
        case .windowUpdate(let id, let increment): self.carryOut(try self.state.openWindow(id, by: increment))
        case .settingsAcknowledgement, .ignored: break
        }
    }

    private func carryOut(_ reaction: State.Reaction) {
        switch reaction {
        case .none, .deliver: break
        case .stopBody(let stream): stream.io.stop()
        case .fallBack(let stream): self.fallBack(stream, isAllowed: self.noteHTTP1Required())
        case .refuse(let stream, let error):
            self.finish(stream, .failure(error), loss: .refused(isEarly: stream.isEarly))
        case .fail(let stream, let error): self.breakOff(stream, error)
        case .reject(let stream, let error, let code): self.reject(stream, error, code: code)
        }
    }

    private func limits(of stream: Stream) -> TransportLimits { stream.io.exchange.request.limits ?? self.limits }

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
            // Also for a closed stream: the block changes the table for the next blocks.
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
        if code == .http11Required {
            let isAllowed = self.noteHTTP1Required()
            if !isAllowed { self.failure = .http11Required(isRequestSent: true) }
            for stream in streams { self.fallBack(stream, isAllowed: isAllowed) }
        } else {
            let reason = "the server ended the connection before it took the request: \(code)"
            for stream in streams {
                // If the server processed some streams, each attempt makes progress, so any number of retries is
                // allowed; otherwise one. If a response has begun, the request was processed.
                let loss: ExchangeLoss? = last > 0 && !stream.hasResponse ? .declined : nil
                self.finish(stream, .failure(.closed(reason, isRequestSent: stream.hasResponse)), loss: loss)
            }
        }
        if self.state.isEmpty { self.close() }
    }

    private func receiveSettings(_ settings: [(identifier: UInt16, value: UInt32)]) throws(HTTP2Error) {
        let change = try self.state.apply(settings)
        HTTP2FrameWriter.settingsAcknowledgement(into: &self.outbound)
        try self.state.acknowledged(HTTP2Frame.headerSize, unsent: self.context?.unsentByteCount ?? 0)
        for size in change.headerTableSizes { self.encoder.allowTable(of: size) }
        if let capacity = change.capacity, let connection { self.pool.changeCapacity(of: connection, to: capacity) }
    }
}
