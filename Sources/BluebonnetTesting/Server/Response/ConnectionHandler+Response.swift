// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// How a connection ends.
enum Ending: Sendable, Hashable {
    /// After everything is written, close_notify of TLS, then FIN.
    case close
    /// After everything is written, FIN.
    case drop
    /// After everything is written, RST.
    case reset
}

extension ConnectionHandler {
    /// Starts to send a response.
    func start(_ response: OutgoingResponse, of exchange: ServedExchange) {
        if self.isStream, let reason = response.obstacleToHTTP2(to: exchange.head) {
            self.state.update { $0.fail(TestServerError(.handlerFailed, reason: reason)) }
            exchange.startResponse(.error(500, reason))
        } else {
            exchange.startResponse(response)
        }
        self.pump()
    }

    /// Writes as much of the response as the connection accepts, and continues when it accepts more.
    func pump() {
        guard !self.isPumping, self.timer == nil, !self.isHeld, !self.isEnding, let context = self.context else {
            return
        }
        guard let exchange = self.exchange, exchange.isResponseStarted, !exchange.isResponseComplete else { return }
        self.isPumping = true
        let outcome = self.write(exchange, context)
        self.isPumping = false
        switch outcome {
        case .isBlocked, .isStalled: break
        case .isWaiting(let time): self.wait(time)
        case .isHeld(let gate): self.wait(gate)
        case .isOver(let ending): self.end(ending)
        case .isFinished:
            exchange.completeResponse()
            if exchange.isRequestComplete { self.finish(exchange) }
        }
    }

    private enum Outcome {
        case isBlocked
        case isStalled
        case isWaiting(TimeAmount)
        case isHeld(Gate)
        case isOver(Ending)
        case isFinished
    }

    private func write(_ exchange: ServedExchange, _ context: ChannelHandlerContext) -> Outcome {
        var unflushed = 0
        while !self.isEnding, context.channel.isActive {
            guard context.channel.isWritable else {
                context.flush()
                unflushed = 0
                // The flush may have made room at once, in which case there is no further notification.
                if context.channel.isWritable { continue }
                return .isBlocked
            }
            let outcome: Outcome
            switch exchange.nextAction() {
            case .head:
                for part in exchange.frame?.head() ?? [] { self.lastWrite = context.write(part) }
                continue
            case .body(let bytes):
                if let part = exchange.frame?.body(bytes) { self.lastWrite = context.write(part) }
                unflushed += bytes.readableBytes
                // TLS buffers what is not flushed, and the channel does not know it, so only a little is written at a
                // time.
                if unflushed >= Self.flushByteCount {
                    context.flush()
                    unflushed = 0
                }
                continue
            case .end:
                if let part = exchange.frame?.end() { self.lastWrite = context.write(part) }
                continue
            case .http2(let fault):
                context.flush()
                guard fault.isLast else {
                    fault.carryOut(on: context.channel, context)
                    continue
                }
                // Resetting a stream discards what still waits to be sent on it.
                self.afterLastWrite {
                    guard let context = self.context else { return }
                    fault.carryOut(on: context.channel, context)
                }
                outcome = .isStalled
            case .wait(let time): outcome = .isWaiting(time)
            case .hold(let gate): outcome = .isHeld(gate)
            case .stall: outcome = .isStalled
            case .close(let ending): outcome = .isOver(ending)
            case .finished: outcome = .isFinished
            }
            context.flush()
            return outcome
        }
        return .isBlocked
    }

    private static var flushByteCount: Int { 1024 * 1024 }

    private func wait(_ time: TimeAmount) {
        guard let loop = self.context?.eventLoop else { return }
        self.timer = loop.assumeIsolated().scheduleTask(in: time) {
            self.timer = nil
            self.pump()
        }
    }

    private func wait(_ gate: Gate) {
        guard let loop = self.context?.eventLoop else { return }
        self.isHeld = true
        let handler = NIOLoopBound(self, eventLoop: loop)
        gate.whenOpen {
            loop.execute {
                handler.value.isHeld = false
                handler.value.pump()
            }
        }
    }

    /// Ends the connection after the last bytes have been sent.
    func end(_ ending: Ending) {
        guard !self.isEnding else { return }
        self.isEnding = true
        self.afterLastWrite { self.endNow(ending) }
    }

    private func afterLastWrite(_ work: @escaping () -> Void) {
        guard let last = self.lastWrite else { return work() }
        last.assumeIsolated().whenComplete { _ in work() }
    }

    private func endNow(_ ending: Ending) {
        switch ending {
        case .close:
            // A stream ends by itself; its connection is closed.
            if self.isStream { self.wire.closeTop() } else { self.context?.close(mode: .all, promise: nil) }
        case .drop: self.wire.drop()
        case .reset: self.wire.reset()
        }
    }
}
