// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import Synchronization

/// What became of a command of curl, for `--write-out` and `--dump-header`.
final class CurlCourse: SessionObserver {
    /// What is known so far.
    struct Facts: Sendable {
        /// When the command's first request was made.
        var started: ExchangeMetrics.Instant?
        /// When the last response had come whole, or was given up.
        var ended: ExchangeMetrics.Instant?
        /// When the last redirect was followed.
        var redirected: ExchangeMetrics.Instant?
        var redirectCount = 0
        var retryCount = 0
        /// The exchanges that were not made on a connection that was there.
        var connectionCount = 0
        /// The bytes of all heads that were received.
        var headByteCount: Int64 = 0
        /// The bytes of all heads that were sent.
        var requestByteCount: Int64 = 0
        /// The last request.
        var request: Request?
        /// The last response.
        var response: (status: HTTPResponse.Status, headers: HTTPFields)?
        /// The measurements of the last exchange.
        var metrics = ExchangeMetrics()
        /// The heads of all responses, as they came.
        var heads: [UInt8] = []
    }

    private let state = Mutex(Facts())

    /// What is known now.
    var facts: Facts { self.state.withLock { $0 } }

    func observe(_ event: SessionEvent, of call: Call) {
        let now = ExchangeMetrics.Instant.now
        self.state.withLock { facts in
            switch event {
            case .callStarted: facts.started = facts.started ?? now
            case .exchangeStarted(let request): facts.request = request
            case .exchangeEnded(let status, let headers, let metrics): facts.add(status, headers, metrics)
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
    fileprivate mutating func add(_ status: HTTPResponse.Status, _ headers: HTTPFields, _ metrics: ExchangeMetrics) {
        self.response = (status, metrics.receivedHeaders ?? headers)
        self.metrics = metrics
        if !metrics.isConnectionReused { self.connectionCount += 1 }
        self.headByteCount += metrics.responseHeadByteCount
        self.requestByteCount += metrics.requestHeadByteCount
        self.heads += HeadPrinter(style: .plain).response(status, headers, metrics)
    }
}
