// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import Synchronization

/// What a task knows about its call: the request that is under way, the response, the measurements.
final class TaskRecord: Sendable {
    private struct State {
        var request: Request
        var response: Response?
        var metrics: ExchangeMetrics?
    }

    private let state: Mutex<State>

    init(_ request: Request) {
        self.state = Mutex(State(request: request))
    }

    var request: Request { self.state.withLock { $0.request } }

    var response: Response? { self.state.withLock { $0.response } }

    var metrics: ExchangeMetrics? { self.state.withLock { $0.metrics } }

    /// An exchange begins.
    func began(_ request: Request) {
        self.state.withLock { $0.request = request }
    }

    /// The head of a response has arrived.
    func answered(_ response: TransportResponse) {
        self.state.withLock { state in
            state.response = Response(
                status: response.status,
                headers: response.headers,
                body: Data(),
                from: ExchangeSource(state.request, response.metrics)
            )
            state.metrics = response.metrics
        }
    }

    /// The response has been collected.
    func collected(_ response: Response) {
        self.state.withLock { state in
            state.response = response
            state.metrics = response.metrics ?? state.metrics
        }
    }

    /// The exchange is over.
    func measured(_ metrics: ExchangeMetrics) {
        self.state.withLock { state in
            state.metrics = metrics
            let history = state.response?.history ?? []
            let cacheStatus = state.response?.cacheStatus
            state.response?.source = ExchangeSource(state.request, metrics, history, cacheStatus)
        }
    }
}
