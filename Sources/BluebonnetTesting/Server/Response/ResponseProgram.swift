// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Converts a response to the parts, pauses and endings that its connection carries out, one after another.
struct ResponseProgram {
    /// The next action of the connection.
    enum Action {
        case head
        case body(ByteBuffer)
        /// The end of the body, with the trailer fields.
        case end
        case http2(HTTP2Fault)
        /// Flush, then wait before the next action; a wait of zero only yields to the event loop.
        case wait(TimeAmount)
        /// Flush, then wait until the gate is open.
        case hold(Gate)
        /// Send nothing more.
        case stall
        case close(Ending)
        case finished
    }

    private enum Step {
        case delay, beforeResponse, head, afterHead, body, pause, end, afterResponse, finished
    }

    /// An event at a position of the response.
    private struct Event {
        var moment: SocketEffect.Moment
        var action: Action
    }

    private var step = Step.delay
    private let delay: TimeAmount?
    private let pace: OutgoingResponse.Pace?
    private var events: [Event]
    private var body: BodySource
    private var sentCount: Int64 = 0
    private let pieceLimit: Int
    /// How an incomplete body ends: only its stream is reset if there are others on the connection.
    private let abort: Action

    /// - Parameters:
    ///   - response: The response.
    ///   - frame: Its framing.
    init(_ response: OutgoingResponse, in frame: any ResponseFraming) {
        self.delay = response.delay
        self.pace = response.pace
        self.body = frame.hasBody ? response.body : .empty
        self.pieceLimit = max(1, min(frame.pieceLimit, response.pace?.byteCount ?? frame.pieceLimit))
        self.abort =
            frame.speaksHTTP2 ? .http2(.resetStream(.afterBody(self.body.byteCount), .internalError)) : .close(.reset)
        self.events = frame.speaksHTTP2 ? response.http2Faults.map { Event(moment: $0.moment, action: .http2($0)) } : []
        if let effect = response.effect, let moment = effect.moment, let action = effect.action {
            self.events.append(Event(moment: moment, action: action))
        }
        // A position beyond the body is its end.
        let byteCount = self.body.byteCount
        for index in self.events.indices {
            guard case .afterBody(let offset) = self.events[index].moment else { continue }
            self.events[index].moment = .afterBody(min(max(0, offset), byteCount))
        }
    }

    /// Returns the next action; must not be called after an ending.
    mutating func next() -> Action {
        while true {
            switch self.step {
            case .delay:
                self.step = .beforeResponse
                if let delay = self.delay { return .wait(delay) }
            case .beforeResponse:
                if let action = self.takeEvent(at: .beforeResponse) { return action }
                self.step = .head
            case .head:
                self.step = .afterHead
                return .head
            case .afterHead:
                if let action = self.takeEvent(at: .afterHead) { return action }
                self.step = .body
            case .body:
                if let action = self.takeEvent(at: .afterBody(self.sentCount)) { return action }
                guard let piece = self.body.next(upTo: self.nextPieceLimit) else {
                    // The announced length can no longer be sent.
                    guard self.body.byteCount == 0 else { return self.abort }
                    self.step = .end
                    continue
                }
                self.sentCount += Int64(piece.readableBytes)
                if self.pace != nil { self.step = .pause }
                return .body(piece)
            case .pause:
                self.step = .body
                if let pace = self.pace, self.body.byteCount > 0 { return .wait(pace.pause) }
            case .end:
                self.step = .afterResponse
                return .end
            case .afterResponse:
                if let action = self.takeEvent(at: .afterResponse) { return action }
                self.step = .finished
            case .finished:
                return .finished
            }
        }
    }

    /// The maximum size of the next piece: up to the next position with an event.
    private var nextPieceLimit: Int {
        let offsets = self.events.compactMap { event -> Int64? in
            if case .afterBody(let offset) = event.moment { offset } else { nil }
        }
        return min(self.pieceLimit, Int(clamping: (offsets.min() ?? .max) - self.sentCount))
    }

    private mutating func takeEvent(at moment: SocketEffect.Moment) -> Action? {
        guard let index = self.events.firstIndex(where: { $0.moment == moment }) else { return nil }
        return self.events.remove(at: index).action
    }
}

extension SocketEffect {
    /// The position in the response; nil if the effect has none.
    var moment: Moment? {
        switch self {
        case .close(let moment), .drop(let moment), .reset(let moment), .stall(let moment), .hold(let moment, _): moment
        case .throttle, .doNotRead: nil
        }
    }

    /// The action at that position.
    var action: ResponseProgram.Action? {
        switch self {
        case .close: .close(.close)
        case .drop: .close(.drop)
        case .reset: .close(.reset)
        case .stall: .stall
        case .hold(_, let gate): .hold(gate)
        case .throttle, .doNotRead: nil
        }
    }
}
