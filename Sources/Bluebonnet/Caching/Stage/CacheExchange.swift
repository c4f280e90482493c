// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// One request of the cache to the server: as it is, as a question about a stored response, or for the rest of a stored part.
struct CacheExchange: Sendable {
    let cache: ResponseCache
    let asked: CacheableRequest
    let next: Chain

    /// Makes the answers from the store.
    var reader: CacheReader {
        CacheReader(cache: self.cache, asked: self.asked, record: self.next.call.handling.record)
    }

    /// What is read of a response that is not delivered, so that its connection can be used again.
    private var discardedByteCount: Int { self.next.call.handling.limits.discardedByteCount }

    private var keeper: CacheKeeper { CacheKeeper(cache: self.cache, asked: self.asked) }

    private func send(_ request: Request) async throws -> CacheArrival {
        let clock = self.next.call.clock
        let fetch = self.cache.changes.beginFetch(of: self.asked.key)
        let start = clock.now
        let response = try await self.next(request)
        // The delay is part of the age (RFC 9111 section 4.2.3), so a fraction of a second counts only with the seconds before it.
        let delay = start.duration(to: clock.now).components.seconds
        return CacheArrival(
            response: response,
            responseTime: self.cache.wallClock.now,
            responseDelay: max(delay, 0),
            fetch: fetch
        )
    }

    /// Sends the request as it is, and stores the response if it may be.
    ///
    /// - Parameters:
    ///   - reason: Why it is sent.
    ///   - stored: What was stored, and is not right any more.
    /// - Returns: The response of the server.
    /// - Throws: What the rest of the chain throws.
    func forward(_ reason: CacheStatus.Forward, replacing stored: StoredResponse?) async throws -> StreamedResponse {
        let arrival = try await self.send(self.asked.request)
        return await self.keeper.keep(arrival, reason, replacing: stored)
    }

    // MARK: Validation

    /// Asks the server whether a stored response is still right.
    func validate(_ stored: StoredResponse, _ reason: CacheStatus.Forward) async throws -> StreamedResponse {
        // A condition of the caller's own goes to the server as it is, and so does a wish for a part.
        let isOwn = !self.asked.isConditional && self.asked.range == nil
        let request = isOwn ? Revalidation.request(self.asked.request, for: stored) : nil
        do {
            let arrival = try await self.send(request ?? self.asked.request)
            if let survivor = await self.survive(arrival.response, stored) { return survivor }
            guard arrival.response.status == .notModified else {
                return await self.keeper.keep(arrival, reason, replacing: stored)
            }
            if request == nil { return await self.deliver(arrival, reason, about: stored) }
            return try await self.confirm(stored, arrival, reason)
        } catch let error as SessionError where error.meansUnavailable {
            guard let survivor = await self.reader.survive(stored, nil) else { throw error }
            return survivor
        }
    }

    /// The server says that the stored response is right.
    private func confirm(
        _ stored: StoredResponse,
        _ arrival: CacheArrival,
        _ reason: CacheStatus.Forward
    ) async throws -> StreamedResponse {
        await arrival.response.body.discard(upTo: self.discardedByteCount)
        if Revalidation.confirms(arrival.response.headers, stored) {
            let updated = self.keeper.confirmed(stored, by: arrival)
            var status = CacheStatus(forward: reason, forwardStatus: 304)
            let freshness = updated.freshness(self.cache.rules)
            status.timeToLive = .seconds(freshness.lifetime - freshness.age(at: self.cache.wallClock.now))
            if var answer = await self.reader.answer(from: updated, status) {
                answer.metrics = arrival.response.metrics
                StoredFields.tell(arrival.response.headers, in: &answer.headers)
                await self.keeper.save(updated)
                return answer
            }
        } else {
            // The 304 is about something else.
            try? await self.cache.store.remove(stored)
        }
        // All of it is wanted, also where the store cannot give the body now.
        return try await self.forward(reason, replacing: nil)
    }

    /// Delivers a 304 to a caller that asked for it, and learns from it.
    private func deliver(
        _ arrival: CacheArrival,
        _ reason: CacheStatus.Forward,
        about stored: StoredResponse
    ) async -> StreamedResponse {
        let headers = arrival.response.headers
        // Only a validator tells what a 304 to somebody else's condition is about (RFC 9111 section 4.3.4).
        if headers.contains(.eTag) || headers.contains(.lastModified), Revalidation.confirms(headers, stored) {
            await self.keeper.save(self.keeper.confirmed(stored, by: arrival))
        }
        return arrival.response.noting(CacheStatus(forward: reason))
    }

    /// A stored response instead of an error status of the server.
    private func survive(_ response: StreamedResponse, _ stored: StoredResponse) async -> StreamedResponse? {
        switch response.status.code {
        case 500, 502, 503, 504: break
        default: return nil
        }
        guard let survivor = await self.reader.survive(stored, response.status.code) else { return nil }
        await response.body.discard(upTo: self.discardedByteCount)
        return survivor
    }

    // MARK: Completion

    /// Asks the server for the rest of a response of which the beginning is stored (RFC 9111 section 3.4).
    func complete(_ part: StoredResponse) async throws -> StreamedResponse {
        guard let completion = CacheCompletion(part),
            let beginning = try? await self.cache.store.body(of: part, range: nil)
        else { return try await self.forward(.partial, replacing: part) }
        let arrival = try await self.send(completion.request(self.asked))
        switch arrival.response.status.code {
        case 206 where completion.fits(arrival.response):
            var whole = arrival
            whole.response = completion.whole(beginning, arrival.response, of: self.asked.request)
            let head = TransportResponse(status: whole.response.status, headers: whole.response.headers)
            self.next.call.handling.record?.answered(head)
            var response = await self.keeper.keep(whole, .partial, replacing: part)
            response.cacheStatus?.forwardStatus = 206
            StoredFields.tell(arrival.response.headers, in: &response.headers)
            return response
        case 206, 416:
            // It is another body by now, or the server does not know what it has said: all of it is wanted.
            await arrival.response.body.discard(upTo: self.discardedByteCount)
            try? await self.cache.store.remove(part)
            return try await self.forward(.partial, replacing: nil)
        default:
            return await self.keeper.keep(arrival, .partial, replacing: part)
        }
    }
}

extension SessionError {
    /// Whether the server could not be asked, or gave no usable answer, for reasons that are not about trust or about the request.
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
