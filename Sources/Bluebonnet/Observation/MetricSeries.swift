// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import Metrics

/// The dimensions of an exchange's metrics.
struct MetricLabels: Hashable {
    var method: String
    /// Nil for an origin without its own metrics.
    var origin: Origin?
    var status: Int?
    var errorType: String?

    /// The dimensions in the form of swift-metrics.
    var dimensions: [(String, String)] {
        var dimensions = [
            ("http.request.method", self.method),
            ("server.address", self.origin?.host ?? TelemetryLabels.other),
            ("server.port", "\(self.origin?.port ?? 0)"),
        ]
        if let status { dimensions.append(("http.response.status_code", "\(status)")) }
        if let errorType { dimensions.append(("error.type", errorType)) }
        return dimensions
    }
}

/// An exchange that is being measured.
struct MeasuredExchange {
    var labels: MetricLabels
    var started: SessionClock.Instant
    var status: HTTPResponse.Status?

    /// The dimensions of the exchange after its end.
    ///
    /// - Parameter errorType: The reason why it ended early; nil if it did not.
    /// - Returns: The dimensions.
    func outcome(_ errorType: String?) -> MetricLabels {
        var labels = self.labels
        guard let status else {
            labels.errorType = errorType
            return labels
        }
        let code = TelemetryLabels.status(status)
        labels.status = code
        labels.errorType = errorType ?? (TelemetryLabels.isError(status) ? "\(code)" : nil)
        return labels
    }
}

/// The instruments of one set of dimensions.
struct MetricSeries: Sendable {
    let duration: Timer
    let requestSize: Metrics.Recorder
    let responseSize: Metrics.Recorder

    init(_ labels: MetricLabels, _ factory: any MetricsFactory) {
        let dimensions = labels.dimensions
        self.duration = Timer(label: "http.client.request.duration", dimensions: dimensions, factory: factory)
        self.requestSize = Recorder(label: "http.client.request.body.size", dimensions: dimensions, factory: factory)
        self.responseSize = Recorder(
            label: "http.client.response.body.size",
            dimensions: dimensions,
            factory: factory
        )
    }
}
