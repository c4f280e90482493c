// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import NIOCore

/// The end of the chain: one exchange of the transport.
///
/// A class, because it is large, and each request passes through it.
final class ExchangeStage: Interceptor {
    private let transport: any Transport
    /// A request with the session's limits and options.
    private let template: TransportRequest
    private let trust: TrustRules
    private let completion: HeaderCompletion
    /// The options that an interceptor may have set; nil without interceptors, because the call has checked its own.
    private let rules: OptionRules?

    init(transport: any Transport, configuration: Session.Configuration, completing completion: HeaderCompletion) {
        self.transport = transport
        self.template = .template(configuration)
        self.trust = TrustRules(configuration, transport)
        self.completion = completion
        self.rules = configuration.hasInterceptors ? configuration.optionRules.ofExchange : nil
    }

    /// Sends the request.
    ///
    /// The values of this function are kept while it waits for the server, once for each request under way. Work that
    /// does not wait is therefore done by separate functions, whose values are released when they return.
    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        try next.call.checkSession()
        let (sent, target) = try self.completed(request, next)
        do {
            var outgoing = self.template
            try self.begin(sent, target, next.call, &outgoing)
            return self.end(try await self.transport.exchange(outgoing), outgoing, sent, next.call)
        } catch {
            throw self.fail(error, request, next)
        }
    }

    /// Checks the options, and completes the header fields unless a stage above has done so.
    @inline(never)
    private func completed(_ request: Request, _ next: Chain) throws(SessionError) -> (SentRequest, RequestTarget) {
        if let rules { try rules.check(request) }
        let target = try next.call.target(of: request.url, isLast: true)
        guard !next.hasCompleteFields else { return (SentRequest(request), target) }
        return (SentRequest(request, fields: try self.completion.fields(of: request, target, next.call)), target)
    }

    /// Fills in the transport's request.
    @inline(never)
    private func begin(
        _ sent: SentRequest,
        _ target: RequestTarget,
        _ call: Call,
        _ outgoing: inout TransportRequest
    ) throws(SessionError) {
        call.beginExchange()
        call.handling.record?.began(sent.request)
        call.tellUnlessFinished(.exchangeStarted(sent.request))
        do {
            try outgoing.fill(sent, target, call)
            try self.trust.apply(to: &outgoing, sent.base)
        } catch {
            var error = error
            error.request = SessionError.FailedRequest(sent.base)
            throw error
        }
    }

    /// Makes the session's response.
    @inline(never)
    private func end(
        _ response: consuming TransportResponse,
        _ outgoing: borrowing TransportRequest,
        _ sent: consuming SentRequest,
        _ call: Call
    ) -> StreamedResponse {
        call.endExchange(isRequestSent: true, leavesBody: response.leavesBody)
        if let monitor = call.handling.monitor, case .bytes(let bytes) = outgoing.body {
            // A transport that reports no events has sent the body as well.
            monitor.upload.complete(Int64(bytes.readableBytes))
        }
        call.handling.record?.answered(response, to: sent)
        call.tellUnlessFinished(.responseReceived(response.status, response.headers, response.metrics))
        return StreamedResponse(response, to: sent)
    }

    /// Makes the session's error.
    @inline(never)
    private func fail(_ error: any Error, _ request: Request, _ next: Chain) -> any Error {
        let call = next.call
        let failure = call.wrapping(error, of: request)
        // A cancelled exchange may have sent any part of the request.
        call.endExchange(isRequestSent: (failure as? SessionError)?.isRequestSent ?? true)
        guard var failure = failure as? SessionError else { return failure }
        guard let head = (error as? TransportError)?.response else {
            call.tellUnlessFinished(.exchangeFailed(failure))
            return failure
        }
        // The transport was collecting the body. The head counts as much as that of a stream, whose body fails later.
        // What was sent is completed again, because a copy would be kept during each exchange.
        let sent = (try? self.completed(request, next).0) ?? SentRequest(request)
        failure.happened(inBodyOf: StreamedResponse(head, to: sent))
        call.handling.record?.answered(head, to: sent)
        call.tellUnlessFinished(.responseReceived(head.status, head.headers, head.metrics))
        return failure
    }
}

extension Call {
    /// Sends an event of an exchange, unless the call has ended: a shared exchange continues, and may not even have
    /// started, when the call that began it is cancelled.
    fileprivate func tellUnlessFinished(_ event: @autoclosure () -> CallEvent) {
        guard self.isObserved, !self.isFinished else { return }
        self.tell(event())
    }
}
