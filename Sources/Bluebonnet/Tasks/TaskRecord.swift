// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import Synchronization

/// The data that a task has about its call: the current request, the response, the metrics.
final class TaskRecord: Sendable {
    private struct State {
        var request: Request
        var response: Response?
        var metrics: ExchangeMetrics?
        var keepsPartialFile = false
        var resumeData: DownloadResumeData?

        /// Takes the metrics of an exchange; those of a stored response, which has had none, say nothing.
        mutating func take(_ metrics: ExchangeMetrics) {
            if metrics.started != nil { self.metrics = metrics }
        }
    }

    private let state: Mutex<State>

    init(_ request: Request) {
        self.state = Mutex(State(request: request))
    }

    var request: Request { self.state.withLock { $0.request } }

    var response: Response? { self.state.withLock { $0.response } }

    var metrics: ExchangeMetrics? { self.state.withLock { $0.metrics } }

    /// Records the beginning of an exchange.
    func began(_ request: Request) {
        self.state.withLock { $0.request = request }
    }

    /// Records the head of a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - sent: The request of its exchange, which need not be the last one that began.
    ///   - isMeasured: Whether its metrics are those of an exchange; a stored response has none.
    func answered(_ response: TransportResponse, to sent: SentRequest, isMeasured: Bool = true) {
        self.state.withLock { state in
            state.response = Response(
                status: response.status,
                headers: response.headers,
                body: Data(),
                from: ExchangeSource(ExchangeFacts(sent: sent, metrics: response.metrics))
            )
            if isMeasured { state.metrics = response.metrics }
        }
    }

    /// Records the response of that one of two attempts in parallel that counts: the other one may have begun, or been
    /// answered, after it.
    func won(_ response: StreamedResponse) {
        let head = response.response(body: Data())
        self.state.withLock { state in
            (state.request, state.response) = (response.request, head)
            state.take(response.metrics)
        }
    }

    /// Records a collected response.
    func collected(_ response: Response) {
        self.state.withLock { state in
            state.response = response
            if let metrics = response.metrics { state.take(metrics) }
        }
    }

    /// Whether an unfinished download is kept, whatever its policy says.
    var keepsPartialFile: Bool {
        get { self.state.withLock { $0.keepsPartialFile } }
        set { self.state.withLock { $0.keepsPartialFile = newValue } }
    }

    /// The data to continue an unfinished download.
    var resumeData: DownloadResumeData? { self.state.withLock { $0.resumeData } }

    /// Records the resume data of an unfinished download.
    func left(_ resumeData: DownloadResumeData?) {
        self.state.withLock { $0.resumeData = resumeData }
    }

    /// Records the metrics of an exchange that has ended.
    func measured(_ metrics: ExchangeMetrics) {
        self.state.withLock { state in
            state.take(metrics)
            guard var source = state.response?.source as? ExchangeSource else { return }
            source.facts.metrics = metrics
            state.response?.source = source
        }
    }
}
