// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
public import Metrics
import Synchronization

/// Measures the exchanges of a session with swift-metrics, with the names of OpenTelemetry's semantic conventions for
/// HTTP clients.
///
/// ```swift
/// configuration.observers = [.metrics]
/// ```
///
/// | Label | Kind | What |
/// |---|---|---|
/// | `http.client.request.duration` | timer | From the start of an exchange to the end of its response's body, to its failure, or to the decision for another exchange |
/// | `http.client.active_requests` | meter | Exchanges under way |
/// | `http.client.request.body.size` | recorder | Bytes of the request's body, without framing |
/// | `http.client.response.body.size` | recorder | Bytes of the response's body, without framing and before decoding |
///
/// The waits between two exchanges of a call (a back-off, the Retry-After of a redirect, the refresh of a token) belong
/// to neither of them.
///
/// All have the dimensions `http.request.method`, `server.address` and `server.port`; all but the meter also have
/// `http.response.status_code` if there was a response, and `error.type` if it was an error or the exchange failed: the status code, the code of the
/// ``SessionError``, or `cancelled`. The sizes are recorded for a response whose body was read to its end.
///
/// The number of values is limited: methods other than those of RFC 9110 and PATCH become `_OTHER`, a status code that is not registered
/// becomes the x00 code of its class, and origins beyond the limit become `_OTHER` with the port 0.
public final class MetricsObserver: SessionObserver {
    private struct State {
        var origins: Set<Origin> = []
        var series: [MetricLabels: MetricSeries] = [:]
        var active: [MetricLabels: Meter] = [:]
    }

    private let factory: (any MetricsFactory)?
    private let originLimit: Int
    private let state = Mutex(State())
    /// The current exchanges of each call: one, or two while an attempt is hedged.
    private let exchanges = CallRecords<MeasuredExchanges>()

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - factory: The backend; nil, the default, for the one that the program has bootstrapped before the first call
    ///     (`MetricsSystem.factory`).
    ///   - originLimit: The largest number of origins with their own metrics: 100 by default.
    public init(factory: (any MetricsFactory)? = nil, originLimit: Int = 100) {
        self.factory = factory
        self.originLimit = originLimit
    }

    public func observe(_ event: CallEvent, of call: Call) {
        switch event {
        case .callStarted:
            self.exchanges.begin(MeasuredExchanges(), for: call.id)
        case .exchangeStarted(let request):
            self.begin(request, call)
        case .responseReceived(let status, _, let metrics):
            let now = call.clock.now
            self.exchanges.change(call.id) { $0.answer(status, after: metrics.timeToResponseHead, at: now) }
        case .exchangeFailed(let error):
            self.finish(call, errorType: TelemetryLabels.errorType(error)) { $0.takeUnanswered() }
        case .responseBodyEnded(_, let metrics):
            self.finish(call, metrics: metrics) { $0.takeAnswered() }
        case .hedged:
            self.exchanges.change(call.id) { $0.isHedged = true }
        // The wait before the next exchange belongs to none.
        case .retryScheduled(let attempt):
            // The body of its response may have failed.
            self.finishReplaced(call, errorType: attempt.error.map { TelemetryLabels.errorType($0) })
        case .redirected, .authentication(.refreshStarted), .authentication(.refreshJoined):
            self.finishReplaced(call)
        case .callEnded:
            self.finishAll(call, errorType: nil)
        case .callFailed(let error):
            self.finishAll(call, errorType: TelemetryLabels.errorType(error))
        case .callCancelled:
            self.finishAll(call, errorType: TelemetryLabels.cancelled)
        default: break
        }
    }

    private func begin(_ request: Request, _ call: Call) {
        self.finishReplaced(call)
        let labels = self.labels(of: request)
        let exchange = MeasuredExchange(labels: labels, started: call.clock.now)
        var isUnderWay = false
        self.exchanges.change(call.id) { exchanges in
            exchanges.begin(exchange)
            isUnderWay = true
        }
        // A call that has ended has no record any more: nothing would decrement the meter again.
        if isUnderWay { self.meter(labels).increment() }
    }

    /// Records the exchange that another one replaces: its response, if there was one, is not read to its end.
    private func finishReplaced(_ call: Call, errorType: String? = nil) {
        while self.finish(call, errorType: errorType, { $0.takeReplaced() }) {}
    }

    private func finishAll(_ call: Call, errorType: String?) {
        while self.finish(call, errorType: errorType, { $0.takeAnswered() }) {}
        // Of two attempts, the slower one was cancelled.
        let isHedged = self.exchanges[call.id]?.isHedged == true
        let rest = isHedged ? errorType ?? TelemetryLabels.cancelled : errorType
        while self.finish(call, errorType: rest, { $0.takeUnanswered() }) {}
        _ = self.exchanges.end(call.id)
    }

    /// Records an exchange that has ended.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    private func finish(
        _ call: Call,
        metrics: ExchangeMetrics? = nil,
        errorType: String? = nil,
        _ take: (inout MeasuredExchanges) -> MeasuredExchange?
    ) -> Bool {
        var finished: MeasuredExchange?
        self.exchanges.change(call.id) { finished = take(&$0) }
        guard let exchange = finished else { return false }
        self.meter(exchange.labels).decrement()
        let series = self.series(exchange.outcome(errorType))
        series.duration.record(duration: exchange.started.duration(to: call.clock.now))
        guard let metrics else { return true }
        series.requestSize.record(metrics.requestBodyByteCount)
        series.responseSize.record(metrics.responseBodyByteCount)
        return true
    }

    // MARK: Instruments

    private func labels(of request: Request) -> MetricLabels {
        let origin = try? RequestTarget(request.url).origin
        let isKept = self.state.withLock { state in
            guard let origin else { return false }
            if state.origins.contains(origin) { return true }
            guard state.origins.count < self.originLimit else { return false }
            state.origins.insert(origin)
            return true
        }
        return MetricLabels(
            method: TelemetryLabels.known(request.method) ?? TelemetryLabels.other,
            origin: isKept ? origin : nil
        )
    }

    private func meter(_ labels: MetricLabels) -> Meter {
        self.instrument(labels, in: \.active) { factory in
            Meter(label: "http.client.active_requests", dimensions: labels.dimensions, factory: factory)
        }
    }

    private func series(_ labels: MetricLabels) -> MetricSeries {
        self.instrument(labels, in: \.series) { MetricSeries(labels, $0) }
    }

    /// Returns what was made for these labels, or makes it: outside the lock, because the backend is the program's.
    ///
    /// Of two calls that make it at the same moment, the first one's is used.
    private func instrument<Instrument: Sendable>(
        _ labels: MetricLabels,
        in instruments: any WritableKeyPath<State, [MetricLabels: Instrument]> & Sendable,
        _ make: (any MetricsFactory) -> Instrument
    ) -> Instrument {
        if let known = self.state.withLock({ $0[keyPath: instruments][labels] }) { return known }
        let new = make(self.factory ?? MetricsSystem.factory)
        return self.state.withLock { state in
            let first = state[keyPath: instruments][labels] ?? new
            state[keyPath: instruments][labels] = first
            return first
        }
    }
}

extension SessionObserver where Self == MetricsObserver {
    /// Measures the exchanges with the backend that the program has bootstrapped; see ``MetricsObserver``.
    public static var metrics: Self { MetricsObserver() }

    /// Measures the exchanges; see ``MetricsObserver``.
    ///
    /// - Parameters:
    ///   - factory: The backend.
    ///   - originLimit: The largest number of origins with their own metrics: 100 by default.
    /// - Returns: The observer.
    public static func metrics(_ factory: any MetricsFactory, originLimit: Int = 100) -> Self {
        MetricsObserver(factory: factory, originLimit: originLimit)
    }
}
