// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport

/// Makes identical requests share one exchange.
///
/// It runs directly above the exchange, where requests are no longer changed.
final class DeduplicationStage: IdleStage {
    let policy: DeduplicationPolicy
    let exchanges: SharedExchanges

    init(_ policy: DeduplicationPolicy, _ changes: CacheChanges?) {
        self.policy = policy
        self.exchanges = SharedExchanges(changes: changes)
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        let call = next.call
        guard let identity = ExchangeIdentity(request, call.handling, ignoring: self.policy.ignoredFields) else {
            guard !request.method.isSafe else { return try await next(request) }
            // A request after a change must not get a response from before it (RFC 9111 section 4.4).
            self.exchanges.close()
            defer { self.exchanges.close() }
            return try await next(request)
        }
        while true {
            // Without a deadline there is nothing to make a closure for.
            let answer =
                call.deadline == nil
                ? try await self.exchanges.answer(to: identity, request, next)
                : try await call.bounded { try await self.exchanges.answer(to: identity, request, next) }
            switch try Self.step(after: answer, request, call) {
            case .deliver(let response): return response
            case .sendAlone: return try await next(request)
            case .askAgain: continue
            }
        }
    }

    func isIdle(for request: Request, of call: Call) -> Bool {
        guard request.method.isSafe else { return false }
        // A hedged request would join the exchange that it is meant to overtake.
        return request.isHedging || !ExchangeIdentity.isShared(request.method)
    }

    func concerns(_ response: borrowing StreamedResponse, to request: Request) -> Bool { false }

    func act(on response: StreamedResponse, to request: Request, next: Chain) async throws -> StreamedResponse {
        response
    }

    /// What a call does after an answer.
    private enum Step {
        case deliver(StreamedResponse)
        /// The response went to another call, because it can be read only once.
        case sendAlone
        case askAgain
    }

    @inline(never)
    private static func step(
        after answer: SharedExchanges.Answer,
        _ request: Request,
        _ call: Call
    ) throws -> Step {
        // The exchange of another call has sent this request, too, and has recorded that for its own call only.
        if answer.leader != call.id { call.endExchange(isRequestSent: answer.isRequestSent) }
        switch answer.result {
        case .success(.some(var response)):
            guard answer.leader != call.id else { return .deliver(response) }
            call.tellShared(response, with: answer.leader)
            response.request = request
            return .deliver(response)
        case .success(nil):
            return .sendAlone
        case .failure(let error):
            guard answer.leader != call.id, Self.concernsLeader(error) else { throw error }
            try Task.checkCancellation()
            return .askAgain
        }
    }

    /// Whether an exchange failed because of the call that began it: its deadline, or the program's code in it.
    private static func concernsLeader(_ error: any Error) -> Bool {
        guard let error = error as? SessionError else { return true }
        return error.code == .timedOut && error.phase == .total
    }
}

extension Call {
    /// Sends the events of a response that belongs to another call's exchange.
    fileprivate func tellShared(_ response: StreamedResponse, with leader: Call.ID) {
        self.tell(.exchangeShared(with: leader))
        self.tell(.responseReceived(response.status, response.headers, response.metrics))
    }
}
