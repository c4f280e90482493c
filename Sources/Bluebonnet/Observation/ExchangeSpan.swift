// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Tracing

/// The span of one exchange: sets its attributes, and ends it once.
final class ExchangeSpan: Sendable {
    private let span: any Span
    private let isOver = Atomic(false)

    init(_ span: any Span) {
        self.span = span
    }

    /// The context that is propagated to the server, and current during the exchange.
    var context: InstrumentationContext { self.span.context }

    /// Sets the attributes of the request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - target: Its URL; nil if it cannot be sent.
    ///   - resendCount: The number of earlier exchanges of the call.
    func began(_ request: Request, target: RequestTarget?, resendCount: Int) {
        guard self.span.isRecording else { return }
        self.span.updateAttributes { attributes in
            attributes["http.request.method"] = TelemetryLabels.known(request.method) ?? TelemetryLabels.other
            if TelemetryLabels.known(request.method) == nil {
                attributes["http.request.method_original"] = request.method.rawValue
            }
            if resendCount > 0 { attributes["http.request.resend_count"] = resendCount }
            guard let target else { return }
            attributes["url.full"] = RequestTarget.redacted(request.url)
            attributes["server.address"] = target.origin.host
            attributes["server.port"] = target.origin.port
        }
    }

    /// Sets the attributes of a response, and ends the span when its body ends.
    ///
    /// - Parameter response: The response.
    /// - Returns: The response with a body that ends the span.
    func following(_ response: StreamedResponse) -> StreamedResponse {
        self.answered(response.status, response.metrics)
        let body = response.body
        guard body.collectedBytes == nil, body.expectedLength != 0, !response.isUpgraded else {
            self.end()
            return response
        }
        var response = response
        response.body = ResponseBody(source: TracedBody(body, self), expectedLength: body.expectedLength)
        return response
    }

    private func answered(_ status: HTTPResponse.Status, _ metrics: ExchangeMetrics?) {
        guard self.span.isRecording else { return }
        self.span.updateAttributes { attributes in
            attributes["http.response.status_code"] = status.code
            if let version = metrics?.httpVersion {
                attributes["network.protocol.version"] = version.telemetryLabel
            }
            if TelemetryLabels.isError(status) { attributes["error.type"] = "\(status.code)" }
        }
        if TelemetryLabels.isError(status) { self.span.setStatus(SpanStatus(code: .error)) }
    }

    /// Ends the span with an error.
    func failed(_ error: any Error) {
        guard !self.isOver.exchange(true, ordering: .relaxed) else { return }
        // The head of a response whose body failed while it was being collected comes with the error.
        if let response = (error as? SessionError)?.response { self.answered(response.status, response.metrics) }
        self.span.attributes["error.type"] = TelemetryLabels.errorType(error)
        if !(error is CancellationError) { self.span.recordError(error) }
        self.span.setStatus(SpanStatus(code: .error))
        self.span.end()
    }

    /// Ends the span.
    func end() {
        guard !self.isOver.exchange(true, ordering: .relaxed) else { return }
        self.span.end()
    }
}

/// The body of a response that ends a span: at its end, at an error, or when it is deallocated.
private final class TracedBody: ResponseBody.Source {
    private let body: ResponseBody
    private let span: ExchangeSpan
    private let byteCount = Atomic<Int64>(0)

    init(_ body: ResponseBody, _ span: ExchangeSpan) {
        self.body = body
        self.span = span
    }

    deinit { self.span.end() }

    var executor: (any TaskExecutor)? { self.body.executor }

    var trailers: HTTPFields? { self.body.trailers }

    var metrics: ExchangeMetrics? { self.body.metrics }

    var remainingByteCount: Int64? { self.body.expectedLength.map { $0 - self.byteCount.load(ordering: .relaxed) } }

    func next() async throws -> ByteBuffer? {
        do {
            var iterator = self.body.makeAsyncIterator()
            let buffer = try await iterator.next()
            if let buffer {
                self.byteCount.add(Int64(buffer.readableBytes), ordering: .relaxed)
            } else {
                self.span.end()
            }
            return buffer
        } catch {
            self.span.failed(error)
            throw error
        }
    }

    func abandon() {
        self.body.abandon()
        self.span.end()
    }
}

extension ExchangeMetrics.HTTPVersion {
    /// The version number alone, as used in attributes.
    fileprivate var telemetryLabel: String {
        switch self {
        case .http10: "1.0"
        case .http11: "1.1"
        case .http2: "2"
        }
    }
}
