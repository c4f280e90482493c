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

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        let call = next.call
        call.beginExchange()
        call.handling.record?.began(request)
        call.tell(.exchangeStarted(request))
        do {
            let outgoing = try self.outgoing(request, next)
            let response = try await self.transport.exchange(outgoing)
            call.endExchange(isRequestSent: true)
            if let monitor = call.handling.monitor, case .bytes(let bytes) = outgoing.body {
                // A transport that tells no events has sent it all the same.
                monitor.upload.complete(Int64(bytes.readableBytes))
            }
            call.handling.record?.answered(response)
            call.tell(.exchangeEnded(response.status, response.headers, response.metrics))
            return StreamedResponse(response, to: request)
        } catch {
            let error = self.wrapping(error, request, call)
            // Where a cancelled exchange was, nobody knows.
            call.endExchange(isRequestSent: (error as? SessionError)?.isRequestSent ?? true)
            if let error = error as? SessionError { call.tell(.exchangeFailed(error)) }
            throw error
        }
    }

    private func outgoing(_ request: Request, _ chain: Chain) throws(SessionError) -> TransportRequest {
        do {
            let target = try chain.target(of: request)
            var outgoing = try TransportRequest(request, target, chain.call, self.timeouts, self.options)
            try self.trust.apply(to: &outgoing, request)
            return outgoing
        } catch {
            var error = error
            error.request = SessionError.FailedRequest(request)
            throw error
        }
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
