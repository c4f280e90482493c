// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// Makes the responses to one request that come from the store.
struct CacheReader: Sendable {
    let cache: ResponseCache
    let asked: CacheableRequest
    let record: TaskRecord?

    /// Answers with a stored response.
    ///
    /// - Parameters:
    ///   - stored: The response.
    ///   - status: What the cache has done.
    ///   - isValidated: Whether the server has just confirmed the response.
    /// - Returns: Nil if its body, or the requested range of it, is not available.
    func answer(
        from stored: StoredResponse,
        _ status: CacheStatus,
        isValidated: Bool = false
    ) async -> StreamedResponse? {
        let now = self.cache.wallClock.now
        let age = stored.freshness(self.cache.rules).age(at: now)
        guard let answer = StoredAnswer(stored, to: self.asked, age: age, isValidated: isValidated, now: now),
            let body = await self.body(answer.part, of: stored)
        else { return nil }
        var response = StreamedResponse(
            to: self.asked.request,
            status: answer.status,
            headers: answer.headers,
            body: body
        )
        response.cacheStatus = status
        // Without an exchange of this hop, the record still has the request of the one before it.
        self.record?.began(self.asked.request)
        self.record?.answered(
            TransportResponse(status: answer.status, headers: answer.headers),
            to: SentRequest(self.asked.request),
            isMeasured: false
        )
        return response
    }

    private func body(_ part: StoredAnswer.Part, of stored: StoredResponse) async -> ResponseBody? {
        switch part {
        case .nothing:
            // Not read, but used: what answers with its head alone must not count as unused.
            _ = try? await self.cache.store.body(of: stored, range: 0..<0)
            return .empty
        case .whole: return try? await self.cache.store.body(of: stored, range: nil)
        case .range(let range): return try? await self.cache.store.body(of: stored, range: range)
        }
    }

    /// Answers with a stored response instead of an error, where RFC 5861 section 4 allows it.
    ///
    /// - Parameters:
    ///   - stored: The response.
    ///   - code: The status of the server; nil if there was none.
    /// - Returns: Nil if the error is delivered.
    func survive(_ stored: StoredResponse, _ code: Int?) async -> StreamedResponse? {
        let ttl = ReuseDecision.survivesError(
            self.asked,
            stored,
            isChanging: self.cache.changes.isUnderWay(for: self.asked.key),
            now: self.cache.wallClock.now,
            rules: self.cache.rules
        )
        guard let ttl else { return nil }
        let status = CacheStatus(forward: .stale, forwardStatus: code, timeToLive: ttl, detail: "stale-if-error")
        return await self.answer(from: stored, status)
    }
}
