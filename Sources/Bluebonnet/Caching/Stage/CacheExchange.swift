// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import NIOCore

/// One request on its way through the cache: the answers that it can get, from the store and from the server.
struct CacheExchange: Sendable {
    /// What is read of a response that is not delivered, so that its connection can be used again.
    private static var largestDiscardedBody: Int { 64 * 1024 }

    let cache: ResponseCache
    let asked: CacheableRequest
    let next: Chain

    /// Whether neither the request's directives nor its policy keep its response from being stored.
    private var mayStore: Bool { !self.asked.directives.noStore }

    // MARK: From the store

    /// Answers with a stored response.
    ///
    /// - Returns: Nil if its body is not there any more, or not the range that is wanted.
    func answer(from stored: StoredResponse, _ status: CacheStatus) async -> StreamedResponse? {
        let now = self.cache.wallClock.now
        let age = stored.freshness(self.cache.rules).age(at: now)
        guard let answer = StoredAnswer(stored, to: self.asked, age: age, now: now),
            let body = await self.body(answer.part, of: stored)
        else { return nil }
        var response = StreamedResponse(
            to: self.asked.request,
            status: answer.status,
            headers: answer.headers,
            body: body
        )
        response.cacheStatus = status
        self.next.call.handling.record?.answered(
            TransportResponse(status: answer.status, headers: answer.headers)
        )
        return response
    }

    private func body(_ part: StoredAnswer.Part, of stored: StoredResponse) async -> ResponseBody? {
        switch part {
        case .nothing: .empty
        case .whole: try? await self.cache.store.body(of: stored, range: nil)
        case .range(let range): try? await self.cache.store.body(of: stored, range: range)
        }
    }

    // MARK: From the server

    /// Sends the request as it is, and stores the response if it may be.
    ///
    /// - Parameters:
    ///   - reason: Why it is sent.
    ///   - stored: What was stored, and is not right any more.
    /// - Returns: The response of the server.
    /// - Throws: What the rest of the chain throws.
    func forward(_ reason: CacheStatus.Forward, replacing stored: StoredResponse?) async throws -> StreamedResponse {
        let (response, timing) = try await self.send(self.asked.request)
        return await self.keep(response, timing, reason, replacing: stored)
    }

    /// Asks the server whether a stored response is still right.
    func validate(_ stored: StoredResponse, _ reason: CacheStatus.Forward) async throws -> StreamedResponse {
        // A condition of the caller's own goes to the server as it is, and so does a wish for a part.
        let isOwn = !self.asked.isConditional && self.asked.range == nil
        let request = isOwn ? Revalidation.request(self.asked.request, for: stored) : nil
        do {
            let (response, timing) = try await self.send(request ?? self.asked.request)
            if let survivor = await self.survive(response, stored) { return survivor }
            guard response.status == .notModified else {
                return await self.keep(response, timing, reason, replacing: stored)
            }
            if request == nil { return await self.deliver(response, timing, reason, about: stored) }
            return try await self.confirm(stored, response, timing, reason)
        } catch let error as SessionError where error.meansUnavailable {
            guard let survivor = await self.survive(stored, nil) else { throw error }
            return survivor
        }
    }

    /// When a request was sent and its response came.
    struct Timing {
        var responseTime: Int64
        var responseDelay: Int64
    }

    private func send(_ request: Request) async throws -> (StreamedResponse, Timing) {
        let clock = self.next.call.clock
        let start = clock.now
        let response = try await self.next(request)
        // The delay is part of the age (RFC 9111 section 4.2.3), so a fraction of a second counts only with the seconds before it.
        let delay = start.duration(to: clock.now).components.seconds
        return (response, Timing(responseTime: self.cache.wallClock.now, responseDelay: max(delay, 0)))
    }

    /// The server says that the stored response is right.
    private func confirm(
        _ stored: StoredResponse,
        _ response: StreamedResponse,
        _ timing: Timing,
        _ reason: CacheStatus.Forward
    ) async throws -> StreamedResponse {
        await response.body.discard(upTo: Self.largestDiscardedBody)
        if Revalidation.confirms(response.headers, stored) {
            let updated = self.confirmed(stored, response.headers, timing)
            var status = CacheStatus(forward: reason, forwardStatus: 304)
            let freshness = updated.freshness(self.cache.rules)
            status.timeToLive = .seconds(freshness.lifetime - freshness.age(at: self.cache.wallClock.now))
            if var answer = await self.answer(from: updated, status) {
                answer.metrics = response.metrics
                await self.save(updated)
                return answer
            }
        }
        // The 304 is about something else, or the body has gone meanwhile: all of it is wanted.
        try? await self.cache.store.remove(stored)
        return try await self.forward(reason, replacing: nil)
    }

    /// Delivers a 304 to a caller that asked for it, and learns from it.
    private func deliver(
        _ response: StreamedResponse,
        _ timing: Timing,
        _ reason: CacheStatus.Forward,
        about stored: StoredResponse
    ) async -> StreamedResponse {
        // Only a validator tells what a 304 to somebody else's condition is about (RFC 9111 section 4.3.4).
        if response.headers.contains(.eTag) || response.headers.contains(.lastModified),
            Revalidation.confirms(response.headers, stored)
        {
            await self.save(self.confirmed(stored, response.headers, timing))
        }
        return response.noting(CacheStatus(forward: reason))
    }

    /// A stored response as a 304 leaves it.
    private func confirmed(_ stored: StoredResponse, _ headers: HTTPFields, _ timing: Timing) -> StoredResponse {
        stored.confirmed(
            by: headers,
            responseTime: timing.responseTime,
            responseDelay: timing.responseDelay,
            selection: self.selection(StoredFields.merging(stored.headers, with: headers))
        )
    }

    /// Stores the new head of a response, unless it may not be stored any more.
    private func save(_ updated: StoredResponse) async {
        guard self.mayStore else { return }
        if updated.directives.noStore || FieldList.names(of: .vary, in: updated.headers).contains("*") {
            try? await self.cache.store.remove(updated)
        } else {
            try? await self.cache.store.update(updated)
        }
    }

    private func selection(_ headers: HTTPFields) -> VariantSelection {
        VariantSelection(
            vary: FieldList.names(of: .vary, in: headers),
            request: self.asked.request.headers,
            isDecoded: self.asked.isDecoded,
            isShared: self.cache.isShared
        )
    }

    // MARK: Storing

    /// Stores a response while its body is read, if it may be stored.
    private func keep(
        _ response: StreamedResponse,
        _ timing: Timing,
        _ reason: CacheStatus.Forward,
        replacing stored: StoredResponse?
    ) async -> StreamedResponse {
        var status = CacheStatus(forward: reason, forwardStatus: response.status.code)
        var response = response
        if self.asked.isHead {
            await self.learn(response, timing, about: stored)
        } else if let entry = await self.entry(for: response, timing),
            let writer = try? await self.cache.store.makeWriter(for: entry)
        {
            let length = entry.headers[.contentLength].flatMap { ContentLength.parse($0) }
            let recorder = CacheRecorder(writer, limit: self.cache.largestBodyByteCount, length: length)
            response.body = await response.body.tee(to: recorder)
            let freshness = entry.freshness(self.cache.rules)
            status.timeToLive = .seconds(freshness.lifetime - freshness.initialAge)
            status.isStored = true
        } else if let stored, self.mayStore, response.status.kind == .successful, response.status != .partialContent {
            // What the server gives now is not what is stored.
            try? await self.cache.store.remove(stored)
        }
        return response.noting(status)
    }

    /// The head to store; nil if the response may not be stored.
    private func entry(for response: StreamedResponse, _ timing: Timing) async -> StoredResponse? {
        guard response.upgradedChannel == nil,
            response.body.expectedLength ?? 0 <= Int64(self.cache.largestBodyByteCount),
            var headers = Storability.fields(
                status: response.status.code,
                headers: response.headers,
                directives: CacheDirectives(response.headers),
                request: self.asked.request.headers,
                requestDirectives: self.asked.directives,
                isShared: self.cache.isShared
            )
        else { return nil }
        if let willCache = self.cache.willCache {
            let proposal = CacheProposal(request: self.asked.request, status: response.status, headers: headers)
            guard let answer = await willCache(proposal) else { return nil }
            headers = StoredFields.keeping(answer.headers)
        }
        return StoredResponse(
            key: self.asked.key,
            status: response.status,
            headers: headers,
            responseTime: timing.responseTime,
            responseDelay: timing.responseDelay,
            selection: self.selection(response.headers)
        )
    }

    /// The response to HEAD says whether what is stored is still right (RFC 9111 section 4.3.5).
    private func learn(_ response: StreamedResponse, _ timing: Timing, about stored: StoredResponse?) async {
        guard self.mayStore, let stored, response.status == stored.status else { return }
        if Revalidation.agrees(response.headers, with: stored) {
            await self.save(self.confirmed(stored, response.headers, timing))
        } else {
            try? await self.cache.store.remove(stored)
        }
    }

    // MARK: Errors

    /// A stored response instead of an error status of the server.
    private func survive(_ response: StreamedResponse, _ stored: StoredResponse) async -> StreamedResponse? {
        switch response.status.code {
        case 500, 502, 503, 504: break
        default: return nil
        }
        guard let survivor = await self.survive(stored, response.status.code) else { return nil }
        await response.body.discard(upTo: Self.largestDiscardedBody)
        return survivor
    }

    /// A stored response instead of an error, where RFC 5861 section 4 allows it.
    private func survive(_ stored: StoredResponse, _ code: Int?) async -> StreamedResponse? {
        let now = self.cache.wallClock.now
        guard let ttl = ReuseDecision.survivesError(self.asked, stored, now: now, rules: self.cache.rules) else {
            return nil
        }
        let status = CacheStatus(forward: .stale, forwardStatus: code, timeToLive: ttl, detail: "stale-if-error")
        return await self.answer(from: stored, status)
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
