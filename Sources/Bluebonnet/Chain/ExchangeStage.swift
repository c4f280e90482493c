// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import NIOCore

/// The end of the chain: one exchange of the transport.
struct ExchangeStage: Interceptor {
    private let transport: any Transport
    private let options: TransportOptions
    private let timeouts: Timeouts
    private let trust: TrustRules

    init(transport: any Transport, configuration: Session.Configuration) {
        self.transport = transport
        self.options = configuration.transportOptions
        self.timeouts = configuration.sessionTimeouts
        self.trust = TrustRules(configuration, transport)
    }

    /// Sends the request.
    ///
    /// The values of this function are kept while it waits for the server, once for each request under way. Work that
    /// does not wait is therefore done by separate functions, whose values are released when they return.
    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        do {
            let outgoing = try self.begin(request, next)
            return self.end(try await self.transport.exchange(outgoing), outgoing, request, next.call)
        } catch {
            throw self.fail(error, request, next.call)
        }
    }

    /// Makes the transport's request.
    @inline(never)
    private func begin(_ request: Request, _ chain: Chain) throws(SessionError) -> TransportRequest {
        let call = chain.call
        call.beginExchange()
        call.handling.record?.began(request)
        call.tell(.exchangeStarted(request))
        do {
            let target = try chain.target(of: request)
            var outgoing = try TransportRequest(request, target, call, self.timeouts, self.options)
            try self.trust.apply(to: &outgoing, request)
            return outgoing
        } catch {
            var error = error
            error.request = SessionError.FailedRequest(request)
            throw error
        }
    }

    /// Makes the session's response.
    @inline(never)
    private func end(
        _ response: TransportResponse,
        _ outgoing: TransportRequest,
        _ request: Request,
        _ call: Call
    ) -> StreamedResponse {
        call.endExchange(isRequestSent: true)
        if let monitor = call.handling.monitor, case .bytes(let bytes) = outgoing.body {
            // A transport that reports no events has sent the body as well.
            monitor.upload.complete(Int64(bytes.readableBytes))
        }
        call.handling.record?.answered(response)
        call.tell(.exchangeEnded(response.status, response.headers, response.metrics))
        return StreamedResponse(response, to: request)
    }

    /// Makes the session's error.
    @inline(never)
    private func fail(_ error: any Error, _ request: Request, _ call: Call) -> any Error {
        let error = self.wrapping(error, request, call)
        // A cancelled exchange may have sent any part of the request.
        call.endExchange(isRequestSent: (error as? SessionError)?.isRequestSent ?? true)
        if let error = error as? SessionError { call.tell(.exchangeFailed(error)) }
        return error
    }

    private func wrapping(_ error: any Error, _ request: Request, _ call: Call) -> any Error {
        if call.deadline != nil, let error = error as? TransportError, error.code == .timedOut, error.phase == .total {
            var timedOut = call.deadlineError
            timedOut.underlying = error
            timedOut.isRequestSent = error.isRequestSent
            return timedOut
        }
        return SessionError.wrapping(error, request: request, source: .transport)
    }
}
