// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Stores the responses to one request, and updates what is stored.
struct CacheKeeper: Sendable {
    let cache: ResponseCache
    let asked: CacheableRequest

    /// Whether the request's directives and its policy allow its response to be stored.
    private var mayStore: Bool { !self.asked.directives.noStore }

    // MARK: New responses

    /// Stores a response while its body is read, if it may be stored.
    ///
    /// - Parameters:
    ///   - arrival: The response.
    ///   - reason: Why the server was asked.
    ///   - stored: The stored response, which is no longer valid.
    /// - Returns: The response to deliver.
    func keep(
        _ arrival: CacheArrival,
        _ reason: CacheStatus.Forward,
        replacing stored: StoredResponse?
    ) async -> StreamedResponse {
        var status = CacheStatus(forward: reason, forwardStatus: arrival.response.status.code)
        var response = arrival.response
        if self.asked.isHead {
            await self.learn(arrival, about: stored)
        } else if let entry = await self.entry(for: arrival),
            let writer = try? await self.cache.store.makeWriter(for: entry)
        {
            let recorder = CacheRecorder(
                writer,
                of: entry,
                in: self.cache,
                for: arrival.fetch,
                reason,
                keepsPart: CacheCompletion.mayKeepPart(of: entry, insteadOf: stored),
                replacing: stored
            )
            let body = await response.body.tee(to: recorder)
            response.replaceBody(
                with: body,
                isOfServer: response.isBodyOfServer && self.cache.store is any LibraryCacheStore
            )
            let freshness = entry.freshness(self.cache.rules)
            status.timeToLive = .seconds(freshness.lifetime - freshness.initialAge)
            status.isStored = true
        } else if let stored, self.mayStore, response.status.kind == .successful, response.status != .partialContent {
            // The server's response differs from the stored one.
            try? await self.cache.store.remove(stored)
        }
        return response.noting(status)
    }

    /// The head to store; nil if the response may not be stored.
    private func entry(for arrival: CacheArrival) async -> StoredResponse? {
        let response = arrival.response
        guard arrival.isForCache, !response.isUpgraded,
            response.body.expectedLength ?? 0 <= Int64(self.cache.maximumBodyByteCount),
            let headers = await self.accepted(response.status, response.headers, of: arrival)
        else { return nil }
        return StoredResponse(
            key: self.asked.key,
            status: response.status,
            headers: StoredFields.dated(headers, arrival.responseTime),
            responseTime: arrival.responseTime,
            responseDelay: arrival.responseDelay,
            arrivalNumber: arrival.number,
            selection: self.selection(headers, of: arrival)
        )
    }

    /// The fields of a response to store, after the program has decided; nil if it may not be stored.
    private func accepted(
        _ status: HTTPResponse.Status,
        _ headers: HTTPFields,
        of arrival: CacheArrival
    ) async -> HTTPFields? {
        guard let headers = self.storable(status, headers, of: arrival) else { return nil }
        guard let willCache = self.cache.willCache else { return headers }
        let proposal = CacheProposal(request: self.asked.request, status: status, headers: headers)
        // The program's fields are subject to the same rules as the server's.
        return await willCache(proposal).flatMap { self.storable(status, $0.headers, of: arrival) }
    }

    /// The fields of a response to store by the rules alone; nil if it may not be stored.
    private func storable(
        _ status: HTTPResponse.Status,
        _ headers: HTTPFields,
        of arrival: CacheArrival
    ) -> HTTPFields? {
        Storability.fields(
            status: status.code,
            headers: headers,
            directives: CacheDirectives(headers),
            request: arrival.selectingFields,
            requestDirectives: self.asked.directives,
            isShared: self.cache.isShared
        )
    }

    /// Updates or removes a stored response after a response to HEAD (RFC 9111 section 4.3.5).
    private func learn(_ arrival: CacheArrival, about stored: StoredResponse?) async {
        guard self.mayStore, arrival.isForCache, let stored, arrival.response.status == stored.status else { return }
        if Revalidation.agrees(arrival.response.headers, with: stored) {
            await self.save(self.confirmed(stored, by: arrival), of: arrival)
        } else {
            try? await self.cache.store.remove(stored)
        }
    }

    private func selection(_ headers: HTTPFields, of arrival: CacheArrival) -> VariantSelection {
        VariantSelection(
            vary: FieldList.names(of: .vary, in: headers),
            request: arrival.selectingFields,
            isDecoded: self.asked.isDecoded,
            isShared: self.cache.isShared
        )
    }

    // MARK: Confirmed responses

    /// A stored response, updated by a 304 or by a response to HEAD.
    func confirmed(_ stored: StoredResponse, by arrival: CacheArrival) -> StoredResponse {
        stored.confirmed(
            by: StoredFields.dated(arrival.response.headers, arrival.responseTime),
            responseTime: arrival.responseTime,
            responseDelay: arrival.responseDelay,
            arrivalNumber: arrival.number,
            selection: self.selection(StoredFields.merging(stored.headers, with: arrival.response.headers), of: arrival)
        )
    }

    /// Stores the new head of a response, or removes the response if it may no longer be stored.
    ///
    /// - Returns: What is stored; nil if that is nothing new.
    @discardableResult
    func save(_ updated: StoredResponse, of arrival: CacheArrival) async -> StoredResponse? {
        guard self.mayStore, arrival.isForCache else { return nil }
        // A 304 may forbid storing the whole response, for example by `private`. Its fields have replaced those that
        // the program had set, so that the program is asked again.
        guard let headers = await self.accepted(updated.status, updated.headers, of: arrival) else {
            try? await self.cache.store.remove(updated)
            return nil
        }
        let saved = updated.with(headers, self.selection(headers, of: arrival))
        try? await self.cache.store.update(saved)
        return saved
    }
}
