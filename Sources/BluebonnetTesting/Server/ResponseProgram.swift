// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Turns a response into the writes, pauses and endings of its connection, one after the other.
struct ResponseProgram {
    /// What the connection is to do next.
    enum Action {
        case write(ByteBuffer)
        /// Flush, then wait before the next action; a wait of zero only lets the loop turn.
        case wait(TimeAmount)
        /// Flush, then wait until the gate is open.
        case hold(Gate)
        /// Nothing more, ever.
        case stall
        case end(Ending)
        case finished(keepsConnection: Bool)
    }

    private enum Step {
        case delay, beforeResponse, head, afterHead, body, pause, afterBody, end, afterResponse, finished
    }

    private var step = Step.delay
    private let response: OutgoingResponse
    private let head: ByteBuffer
    private var body: BodySource
    /// What follows the place where something happens to the body.
    private var rest: BodySource?
    private let isChunked: Bool
    private let chunkLimit: Int
    private let keepsConnection: Bool

    init(_ response: OutgoingResponse, to request: HTTPRequestHead) {
        self.response = response
        let frame = ResponseFrame(response, to: request)
        self.head = frame.head
        self.isChunked = frame.isChunked
        self.keepsConnection = frame.keepsConnection
        self.body = frame.hasBody ? response.body : .empty
        if case .afterBody(let limit) = response.effect?.moment { self.rest = self.body.split(at: limit) }
        var limit = PatternBytes.sliceLimit
        if case .chunked(let byteCount) = response.framing { limit = byteCount }
        self.chunkLimit = max(1, min(limit, response.pace?.byteCount ?? limit))
    }

    /// Says what comes next; after an ending it must not be asked again.
    mutating func next() -> Action {
        while true {
            switch self.step {
            case .delay:
                self.step = .beforeResponse
                if let delay = self.response.delay { return .wait(delay) }
            case .beforeResponse:
                self.step = .head
                if let fault = self.fault(at: .beforeResponse) { return fault }
            case .head:
                self.step = .afterHead
                if self.head.readableBytes > 0 { return .write(self.head) }
            case .afterHead:
                self.step = .body
                if let fault = self.fault(at: .afterHead) { return fault }
            case .body:
                guard let piece = self.body.next(upTo: self.chunkLimit) else {
                    self.step = .afterBody
                    continue
                }
                if self.response.pace != nil { self.step = .pause }
                return .write(self.isChunked ? Self.chunk(piece) : piece)
            case .pause:
                self.step = .body
                if let pace = self.response.pace, self.body.byteCount > 0 { return .wait(pace.pause) }
            case .afterBody:
                self.step = .end
                guard let rest = self.rest, let action = self.response.effect?.action else { continue }
                self.body = rest
                self.rest = nil
                self.step = .body
                return action
            case .end:
                self.step = .afterResponse
                if self.isChunked { return .write(self.lastChunk) }
            case .afterResponse:
                self.step = .finished
                if let fault = self.fault(at: .afterResponse) { return fault }
            case .finished:
                return .finished(keepsConnection: self.keepsConnection)
            }
        }
    }

    private func fault(at moment: SocketEffect.Moment) -> Action? {
        self.response.effect?.moment == moment ? self.response.effect?.action : nil
    }

    private static func chunk(_ piece: ByteBuffer) -> ByteBuffer {
        var chunk = ByteBuffer(string: String(piece.readableBytes, radix: 16) + "\r\n")
        chunk.writeImmutableBuffer(piece)
        chunk.writeString("\r\n")
        return chunk
    }

    private var lastChunk: ByteBuffer {
        var bytes = ByteBuffer(string: "0\r\n")
        for (name, value) in self.response.trailers { bytes.writeString("\(name): \(value)\r\n") }
        bytes.writeString("\r\n")
        return bytes
    }
}

extension SocketEffect {
    /// Where in the response it happens; nil if it is not tied to a place.
    var moment: Moment? {
        switch self {
        case .close(let moment), .drop(let moment), .reset(let moment), .stall(let moment), .hold(let moment, _): moment
        case .throttle, .doNotRead: nil
        }
    }

    /// What happens there.
    var action: ResponseProgram.Action? {
        switch self {
        case .close: .end(.close)
        case .drop: .end(.drop)
        case .reset: .end(.reset)
        case .stall: .stall
        case .hold(_, let gate): .hold(gate)
        case .throttle, .doNotRead: nil
        }
    }
}
