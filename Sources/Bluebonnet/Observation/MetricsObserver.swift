// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
public import Metrics
import Synchronization

/// Measures the exchanges of a session with swift-metrics, by the names of OpenTelemetry's semantic conventions for HTTP clients.
///
/// ```swift
/// configuration.observers = [.metrics]
/// ```
///
/// | Label | Kind | What |
/// |---|---|---|
/// | `http.client.request.duration` | timer | From the start of an exchange to the end of its response's body, or to its failure |
/// | `http.client.active_requests` | meter | Exchanges under way |
/// | `http.client.request.body.size` | recorder | Bytes of the request's body, without framing |
/// | `http.client.response.body.size` | recorder | Bytes of the response's body, without framing and before decoding |
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
    /// The exchange of each call that is under way.
    private let exchanges = CallRecords<MeasuredExchange?>()

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - factory: The backend; nil, the default, for the one that the program has bootstrapped before the first call
    ///     (`MetricsSystem.factory`).
    ///   - originLimit: For how many origins there are metrics of their own: 100 unless given.
    public init(factory: (any MetricsFactory)? = nil, originLimit: Int = 100) {
        self.factory = factory
        self.originLimit = originLimit
    }

    public func observe(_ event: SessionEvent, of call: Call) {
        switch event {
        case .callStarted:
            self.exchanges.begin(nil, for: call.id)
        case .exchangeStarted(let request):
            // The response before this request, if there was one, was not read to its end.
            self.finish(call)
            self.begin(request, call)
        case .exchangeEnded(let status, _, _):
            self.exchanges.change(call.id) { $0?.status = status }
        case .exchangeFailed(let error):
            self.finish(call, errorType: TelemetryLabels.errorType(error))
        case .responseBodyEnded(_, let metrics):
            self.finish(call, metrics: metrics)
        case .callEnded:
            self.finish(call)
            _ = self.exchanges.end(call.id)
        case .callFailed(let error):
            self.finish(call, errorType: TelemetryLabels.errorType(error))
            _ = self.exchanges.end(call.id)
        case .callCancelled:
            self.finish(call, errorType: TelemetryLabels.cancelled)
            _ = self.exchanges.end(call.id)
        default: break
        }
    }

    private func begin(_ request: Request, _ call: Call) {
        let labels = self.labels(of: request)
        let exchange = MeasuredExchange(labels: labels, started: call.clock.now)
        self.exchanges.change(call.id) { $0 = exchange }
        self.meter(labels).increment()
    }

    private func finish(_ call: Call, metrics: ExchangeMetrics? = nil, errorType: String? = nil) {
        var finished: MeasuredExchange?
        self.exchanges.change(call.id) { finished = $0.take() }
        guard let exchange = finished else { return }
        self.meter(exchange.labels).decrement()
        let series = self.series(exchange.outcome(errorType))
        series.duration.record(duration: exchange.started.duration(to: call.clock.now))
        guard let metrics else { return }
        series.requestSize.record(metrics.requestBodyByteCount)
        series.responseSize.record(metrics.responseBodyByteCount)
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
        self.state.withLock { state in
            if let meter = state.active[labels] { return meter }
            let meter = Meter(
                label: "http.client.active_requests",
                dimensions: labels.dimensions,
                factory: self.factory ?? MetricsSystem.factory
            )
            state.active[labels] = meter
            return meter
        }
    }

    private func series(_ labels: MetricLabels) -> MetricSeries {
        self.state.withLock { state in
            if let series = state.series[labels] { return series }
            let series = MetricSeries(labels, self.factory ?? MetricsSystem.factory)
            state.series[labels] = series
            return series
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
    ///   - originLimit: For how many origins there are metrics of their own: 100 unless given.
    /// - Returns: The observer.
    public static func metrics(_ factory: any MetricsFactory, originLimit: Int = 100) -> Self {
        MetricsObserver(factory: factory, originLimit: originLimit)
    }
}
