// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// One request of the cache to the server: unchanged, to validate a stored response, or for the rest of a stored part.
struct CacheExchange: Sendable {
    let cache: ResponseCache
    let asked: CacheableRequest
    let next: Chain

    /// Makes the responses from the store.
    var reader: CacheReader {
        CacheReader(cache: self.cache, asked: self.asked, record: self.next.call.handling.record)
    }

    private var keeper: CacheKeeper { CacheKeeper(cache: self.cache, asked: self.asked) }

    private func send(_ request: Request) async throws -> CacheArrival {
        let clock = self.next.call.clock
        let fetch = self.cache.changes.beginFetch(of: self.asked.key)
        let start = clock.now
        let response = try await self.next(request)
        // The delay is part of the age (RFC 9111 section 4.2.3), rounded down to whole seconds.
        let delay = start.duration(to: clock.now).components.seconds
        let sent = response.request
        // In order, which is the usual case: comparing fields in any order takes longer than the rest of this function.
        let isUnchanged = sent.url == request.url && sent.headers.elementsEqual(request.headers)
        return CacheArrival(
            response: response,
            selectingFields: isUnchanged
                ? self.asked.selectingFields : self.asked.selectingFields(of: sent, sentFor: request),
            isForCache: isUnchanged || self.asked.isFor(sent, sentFor: request),
            responseTime: self.cache.wallClock.now,
            responseDelay: max(delay, 0),
            fetch: fetch
        )
    }

    /// Sends the request unchanged, and stores the response if it may be stored.
    ///
    /// - Parameters:
    ///   - reason: Why it is sent.
    ///   - stored: The stored response, which is no longer valid.
    /// - Returns: The response of the server.
    /// - Throws: What the rest of the chain throws.
    func forward(_ reason: CacheStatus.Forward, replacing stored: StoredResponse?) async throws -> StreamedResponse {
        let arrival = try await self.send(self.asked.request)
        return await self.keeper.keep(arrival, reason, replacing: stored)
    }

    /// Sends the request again, because a response is of no use, and tells the cookies of that, too.
    ///
    /// It is unchanged but for the number of a Digest answer.
    private func forward(
        _ reason: CacheStatus.Forward,
        insteadOf useless: CacheArrival
    ) async throws -> StreamedResponse {
        let arrival = try await self.send(self.asked.request.withNextDigest())
        var response = await self.keeper.keep(arrival, reason, replacing: nil)
        StoredFields.tellCookies(of: useless.response.headers, in: &response.headers)
        return response
    }

    // MARK: Validation

    /// Validates a stored response with the server.
    func validate(_ stored: StoredResponse, _ reason: CacheStatus.Forward) async throws -> StreamedResponse {
        // The caller's own condition or range is sent to the server unchanged.
        let isOwn = !self.asked.isConditional && self.asked.range == nil
        let request = isOwn ? Revalidation.request(self.asked.request, for: stored) : nil
        let arrival: CacheArrival
        do {
            arrival = try await self.send(request ?? self.asked.request)
        } catch let error as SessionError where error.meansUnavailable {
            guard let survivor = await self.reader.survive(stored, nil) else { throw error }
            return survivor
        }
        if let survivor = await self.survive(arrival.response, stored) { return survivor }
        guard arrival.response.status == .notModified else {
            return await self.keeper.keep(arrival, reason, replacing: stored)
        }
        if request == nil { return await self.deliver(arrival, reason, about: stored) }
        // The stored response stands in for no error of this: the server has contradicted it, or its body is missing.
        return try await self.confirm(stored, arrival, reason)
    }

    /// Delivers a stored response that the server has confirmed.
    private func confirm(
        _ stored: StoredResponse,
        _ arrival: CacheArrival,
        _ reason: CacheStatus.Forward
    ) async throws -> StreamedResponse {
        await self.next.call.discard(arrival.response.body)
        if arrival.isForCache, Revalidation.confirms(arrival.response.headers, stored) {
            let updated = self.keeper.confirmed(stored, by: arrival)
            let status = CacheStatus(forward: reason, forwardStatus: 304)
            if var answer = await self.reader.answer(from: updated, status, isValidated: true) {
                answer.metrics = arrival.response.metrics
                StoredFields.tell(arrival.response.headers, in: &answer.headers)
                let saved = await self.keeper.save(updated, of: arrival)
                let freshness = (saved ?? updated).freshness(self.cache.rules)
                let age = freshness.age(at: self.cache.wallClock.now)
                answer.cacheStatus?.timeToLive = .seconds(freshness.lifetime - age)
                return answer
            }
        } else {
            // The 304 is about something else.
            try? await self.cache.store.remove(stored)
        }
        // The whole response is requested, also if the store cannot provide the body now.
        return try await self.forward(reason, insteadOf: arrival)
    }

    /// Delivers a 304 to a caller that asked for it, and updates the stored response.
    private func deliver(
        _ arrival: CacheArrival,
        _ reason: CacheStatus.Forward,
        about stored: StoredResponse
    ) async -> StreamedResponse {
        let headers = arrival.response.headers
        // Only a validator tells which response a 304 to the caller's own condition is about (RFC 9111 section 4.3.4).
        if headers.contains(.eTag) || headers.contains(.lastModified), Revalidation.confirms(headers, stored) {
            await self.keeper.save(self.keeper.confirmed(stored, by: arrival), of: arrival)
        }
        return arrival.response.noting(CacheStatus(forward: reason))
    }

    /// Delivers a stored response instead of a server error.
    private func survive(_ response: StreamedResponse, _ stored: StoredResponse) async -> StreamedResponse? {
        // The errors of stale-if-error (RFC 5861 section 4), not those of a retry policy.
        switch response.status.code {
        case 500, 502, 503, 504: break
        default: return nil
        }
        guard var survivor = await self.reader.survive(stored, response.status.code) else { return nil }
        await self.next.call.discard(response.body)
        StoredFields.tellCookies(of: response.headers, in: &survivor.headers)
        return survivor
    }

    // MARK: Completion

    /// Requests the rest of a response whose beginning is stored (RFC 9111 section 3.4).
    func complete(_ part: StoredResponse) async throws -> StreamedResponse {
        guard let completion = CacheCompletion(part),
            let beginning = try? await self.cache.store.body(of: part, range: nil)
        else { return try await self.forward(.partial, replacing: part) }
        let arrival = try await self.send(completion.request(self.asked))
        switch arrival.response.status.code {
        case 206 where arrival.isForCache && completion.fits(arrival.response):
            var whole = arrival
            whole.response = completion.whole(beginning, arrival.response, of: self.asked.request)
            let head = TransportResponse(status: whole.response.status, headers: whole.response.headers)
            self.next.call.handling.record?.answered(head, to: SentRequest(arrival.response.request), isMeasured: false)
            var response = await self.keeper.keep(whole, .partial, replacing: part)
            response.cacheStatus?.forwardStatus = 206
            StoredFields.tell(arrival.response.headers, in: &response.headers)
            return response
        case 206, 416:
            // The body has changed, or the server contradicts itself: the whole response is requested.
            await self.next.call.discard(arrival.response.body)
            try? await self.cache.store.remove(part)
            return try await self.forward(.partial, insteadOf: arrival)
        default:
            return await self.keeper.keep(arrival, .partial, replacing: part)
        }
    }
}

extension SessionError {
    /// Whether the server could not be reached, or sent no usable response, for reasons other than trust or the
    /// request.
    fileprivate var meansUnavailable: Bool {
        switch self.code {
        case .timedOut: self.phase != .total
        case .nameResolutionFailed, .connectFailed, .proxyFailed, .tlsFailed, .connectionClosed, .protocolViolation,
            .transportFailed:
            true
        default: false
        }
    }
}
