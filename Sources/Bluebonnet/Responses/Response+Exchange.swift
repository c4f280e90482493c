// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

extension Response {
    /// The measurements of the exchange: when each phase happened, and how many bytes were sent and received.
    ///
    /// Nil for a response that did not come from a session.
    public var metrics: ExchangeMetrics? { (self.source as? ExchangeSource)?.metrics }

    /// The responses that redirected the request, in their order and without their bodies; empty if it was not redirected.
    public var history: [Response] { (self.source as? ExchangeSource)?.history ?? [] }

    /// What the session's cache did with the request; nil if it has none.
    public var cacheStatus: CacheStatus? { (self.source as? ExchangeSource)?.cacheStatus }

    init(status: HTTPResponse.Status, headers: HTTPFields, body: Data, from source: ExchangeSource) {
        self.init(status: status, headers: headers, body: body)
        self.source = source
    }
}

/// The exchange that a response comes from.
final class ExchangeSource: ResponseSource {
    let request: Request
    let metrics: ExchangeMetrics
    let history: [Response]
    let cacheStatus: CacheStatus?

    init(
        _ request: Request,
        _ metrics: ExchangeMetrics,
        _ history: [Response] = [],
        _ cacheStatus: CacheStatus? = nil
    ) {
        self.request = request
        self.metrics = metrics
        self.history = history
        self.cacheStatus = cacheStatus
    }
}
