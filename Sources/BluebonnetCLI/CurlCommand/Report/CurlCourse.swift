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
        /// What `%{referer}` stands for; nil for the field of the last request.
        var referer: String?
        /// What is known of an exchange that has no response yet.
        fileprivate var pending = Pending()
    }

    /// An exchange without a response, which has no metrics if it fails.
    fileprivate struct Pending: Sendable {
        var metrics = ExchangeMetrics()
        var hasConnected = false
    }

    /// How the heads are formatted.
    private let style: OutputStyle
    private let state: Mutex<Facts>

    /// - Parameters:
    ///   - style: How the heads are formatted.
    ///   - referer: What `%{referer}` stands for; nil for the field of the last request.
    init(style: OutputStyle, referer: String?) {
        self.style = style
        self.state = Mutex(Facts(referer: referer))
    }

    /// The facts collected so far.
    var facts: Facts { self.state.withLock { $0 } }

    func observe(_ event: CallEvent, of call: Call) {
        let now = ExchangeMetrics.Instant.now
        self.state.withLock { [style = self.style] facts in
            switch event {
            case .callStarted: facts.started = facts.started ?? now
            case .exchangeStarted(let request): (facts.request, facts.pending) = (request, Pending())
            case .transport(let event): facts.pending.note(event, at: now)
            case .exchangeFailed: facts.endPending()
            case .responseReceived(let status, let headers, let metrics): facts.add(status, headers, metrics, style)
            // curl counts the request that answers a challenge as a redirect.
            case .redirected, .authentication(.challengeAnswered):
                (facts.redirected, facts.redirectCount) = (now, facts.redirectCount + 1)
            case .retryScheduled: facts.retryCount += 1
            case .responseBodyEnded(_, let metrics): facts.metrics = metrics
            case .callEnded, .callFailed, .callCancelled:
                facts.ended = now
                facts.endPending()
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
        self.pending = CurlCourse.Pending()
    }

    /// Counts what an exchange without a response has done.
    fileprivate mutating func endPending() {
        // The end of a request's body may be told behind its response, which has counted it.
        guard self.pending.hasConnected || self.pending.metrics.requestHeadByteCount > 0 else { return }
        let earlierAddress = self.metrics.remoteAddress
        self.metrics = self.pending.metrics
        if self.pending.hasConnected { self.connectionCount += 1 } else { self.metrics.remoteAddress = earlierAddress }
        self.requestByteCount += self.pending.metrics.requestHeadByteCount
        self.pending = CurlCourse.Pending()
    }
}

extension CurlCourse.Pending {
    fileprivate mutating func note(_ event: TransportEvent, at time: ExchangeMetrics.Instant) {
        switch event {
        case .connectEnded(let address): (self.metrics.remoteAddress, self.metrics.connectEnded) = (address, time)
        case .connectionAcquired(_, let isReused): self.hasConnected = !isReused
        case .requestHeadStarted: self.metrics.requestHeadStarted = time
        case .requestHeadEnded(let head): self.metrics.requestHeadByteCount = Int64(head.bytes.count)
        case .requestBodyEnded(let count): self.metrics.requestBodyByteCount = count
        default: break
        }
    }
}
