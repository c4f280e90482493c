// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import Synchronization

/// An observer that collects the facts about a curl command for `--write-out` and `--dump-header`.
final class CurlCourse: SessionObserver {
    /// The facts collected so far.
    struct Facts: Sendable {
        /// The start of the command's first request.
        var started: ExchangeMetrics.Instant?
        /// The time at which the last call ended or failed.
        var ended: ExchangeMetrics.Instant?
        /// The time of the last redirect.
        var redirected: ExchangeMetrics.Instant?
        var redirectCount = 0
        var retryCount = 0
        /// The number of exchanges that opened a new connection.
        var connectionCount = 0
        /// The number of bytes in all received heads.
        var headByteCount: Int64 = 0
        /// The number of bytes in all sent heads.
        var requestByteCount: Int64 = 0
        /// The last request.
        var request: Request?
        /// The last response.
        var response: (status: HTTPResponse.Status, headers: HTTPFields)?
        /// The measurements of the last exchange.
        var metrics = ExchangeMetrics()
        /// The heads of all responses.
        var heads: [UInt8] = []
    }

    /// How the heads are formatted.
    private let style: OutputStyle
    private let state = Mutex(Facts())

    init(style: OutputStyle) { self.style = style }

    /// The facts collected so far.
    var facts: Facts { self.state.withLock { $0 } }

    func observe(_ event: SessionEvent, of call: Call) {
        let now = ExchangeMetrics.Instant.now
        self.state.withLock { [style = self.style] facts in
            switch event {
            case .callStarted: facts.started = facts.started ?? now
            case .exchangeStarted(let request): facts.request = request
            case .exchangeEnded(let status, let headers, let metrics): facts.add(status, headers, metrics, style)
            case .redirected: (facts.redirected, facts.redirectCount) = (now, facts.redirectCount + 1)
            case .retryScheduled: facts.retryCount += 1
            case .responseBodyEnded(_, let metrics): facts.metrics = metrics
            case .callEnded, .callFailed, .callCancelled: facts.ended = now
            default: break
            }
        }
    }
}

extension CurlCourse.Facts {
    fileprivate mutating func add(
        _ status: HTTPResponse.Status,
        _ headers: HTTPFields,
        _ metrics: ExchangeMetrics,
        _ style: OutputStyle
    ) {
        self.response = (status, metrics.receivedHeaders ?? headers)
        self.metrics = metrics
        if !metrics.isConnectionReused { self.connectionCount += 1 }
        self.headByteCount += metrics.responseHeadByteCount
        self.requestByteCount += metrics.requestHeadByteCount
        self.heads += HeadPrinter(style: style).response(status, headers, metrics)
    }
}
