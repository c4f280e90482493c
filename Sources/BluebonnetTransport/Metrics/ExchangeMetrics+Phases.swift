// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension ExchangeMetrics {
    /// Returns the duration of a phase.
    ///
    /// - Parameter phase: The phase. If a connection was made for the exchange, ``ExchangePhase/queue`` ends when that
    ///   began.
    /// - Returns: The duration, never negative; nil if the phase did not take place or is not over.
    public func duration(of phase: ExchangePhase) -> Duration? {
        switch phase {
        case .queue:
            Self.span(self.queueStarted, self.connectingStarted ?? self.queueEnded)
        case .resolve: Self.span(self.resolveStarted, self.resolveEnded)
        case .connect: Self.span(self.connectStarted, self.tunnelEnded ?? self.connectEnded)
        case .tlsHandshake: self.tlsDuration
        case .requestBody: Self.span(self.requestHeadStarted, self.requestBodyEnded)
        case .responseHead: Self.span(self.requestBodyEnded, self.responseHeadEnded)
        case .responseBody: Self.span(self.responseHeadEnded, self.responseBodyEnded)
        case .total: Self.span(self.started, self.responseBodyEnded)
        }
    }

    /// When establishment of the exchange's connection began; nil for a reused connection.
    private var connectingStarted: Instant? {
        guard let first = self.tlsPreparationStarted ?? self.resolveStarted ?? self.connectStarted,
            let queueStarted, let queueEnded
        else { return nil }
        // An exchange may receive a connection that was started for another exchange, or that was completed long ago.
        return Swift.min(Swift.max(first, queueStarted), queueEnded)
    }

    private var tlsDuration: Duration? {
        guard let handshake = Self.span(self.tunnelEnded ?? self.connectEnded, self.tlsHandshakeEnded) else {
            return nil
        }
        return handshake + (Self.span(self.tlsPreparationStarted, self.tlsPreparationEnded) ?? .zero)
    }

    private static func span(_ start: Instant?, _ end: Instant?) -> Duration? {
        guard let start, let end else { return nil }
        // A server may respond before it has received the whole request.
        return Swift.max(start.duration(to: end), .zero)
    }
}
