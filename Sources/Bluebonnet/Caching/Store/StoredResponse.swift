// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials
public import HTTPTypes

/// The head of a response in a ``CacheStore``, and what is needed to decide about its reuse.
public struct StoredResponse: Sendable, Identifiable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Identifies a stored response, in all stores.
    public let id: UUID

    /// The key that it is found by.
    public let key: CacheKey

    /// Which requests for the URL it answers; of two responses with the same key and variant, the later one replaces the other.
    public var variant: Variant { self.selection.variant }

    /// The status.
    public let status: HTTPResponse.Status

    /// The header fields that are stored.
    public let headers: HTTPFields

    /// When the response arrived or was confirmed last, in seconds since 1970.
    public let responseTime: Int64

    /// How long the server took for it, in seconds.
    public let responseDelay: Int64

    /// Orders the responses that arrived in the same second; see `ArrivalNumber`.
    let arrivalNumber: Int64

    /// The number of bytes of the body; a store sets it when the body is complete.
    public var bodyByteCount: Int64 = 0

    let selection: VariantSelection
    let directives: CacheDirectives

    /// Calculated once with the usual rules, because every reuse needs it.
    private let usualFreshness: Freshness

    /// Names a variant of a URL.
    public struct Variant: Hashable, Sendable {
        /// The name: ASCII text without the values of secret fields.
        public let text: String
    }

    init(
        id: UUID = UUID(),
        key: CacheKey,
        status: HTTPResponse.Status,
        headers: HTTPFields,
        responseTime: Int64,
        responseDelay: Int64,
        arrivalNumber: Int64 = 0,
        selection: VariantSelection
    ) {
        self.id = id
        self.key = key
        self.status = status
        self.headers = headers
        self.responseTime = responseTime
        self.responseDelay = responseDelay
        self.arrivalNumber = arrivalNumber
        self.selection = selection
        self.directives = CacheDirectives(headers)
        self.usualFreshness = Freshness(
            status: status.code,
            headers: headers,
            directives: self.directives,
            responseTime: responseTime,
            responseDelay: responseDelay,
            rules: Freshness.Rules()
        )
    }

    /// The approximate size of the head in memory, in bytes.
    public var headByteCount: Int {
        self.headers.reduce(into: 512 + self.key.text.utf8.count) { count, field in
            count += field.name.rawName.utf8.count + field.value.utf8.count + 32
        }
    }

    func freshness(_ rules: Freshness.Rules) -> Freshness {
        if rules == Freshness.Rules() { return self.usualFreshness }
        return Freshness(
            status: self.status.code,
            headers: self.headers,
            directives: self.directives,
            responseTime: self.responseTime,
            responseDelay: self.responseDelay,
            rules: rules
        )
    }

    /// The length of the body according to its head; nil if unknown, for example because the body was decoded.
    var announcedByteCount: Int64? { self.headers[.contentLength].flatMap { $0.utf8.decimalNumber() } }

    /// Whether only the beginning of the body is stored; it answers no request.
    public var isPart: Bool { self.bodyByteCount < self.announcedByteCount ?? 0 }

    /// Whether this must not take the place of what is stored for the same key and variant.
    ///
    /// A whole gives way to a whole that arrived later, because the most recent response is the one to use (RFC 9111
    /// section 4). Its own body may just have taken longer. A part gives way to a whole that is not older, to a newer
    /// part, and to one of the same version that is as long.
    package func isWorthLess(than stored: StoredResponse) -> Bool {
        guard self.isPart else { return !stored.isPart && stored.hasArrived(after: self) }
        guard stored.isPart else { return !self.hasArrived(after: stored) }
        guard let tag = self.entityTag, let other = stored.entityTag, tag.matchesStrongly(other) else {
            return stored.hasArrived(after: self)
        }
        return stored.bodyByteCount >= self.bodyByteCount
    }

    private func hasArrived(after other: StoredResponse) -> Bool {
        (self.responseTime, self.arrivalNumber) > (other.responseTime, other.arrivalNumber)
    }

    /// Whether this is to be used where another one matches a request as well (RFC 9111 section 4): the one with the
    /// later Date, and of two with the same Date the one that arrived later.
    func isMoreRecent(than other: StoredResponse) -> Bool {
        let (date, otherDate) = (self.usualFreshness.date, other.usualFreshness.date)
        return date == otherDate ? self.hasArrived(after: other) : date > otherDate
    }

    /// The validators that a condition can be made of.
    var hasValidator: Bool { self.headers.contains(.eTag) || self.headers.contains(.lastModified) }

    var entityTag: EntityTag? { self.headers[.eTag].flatMap { EntityTag($0) } }

    /// Whether the body is as the server sent it, without a content coding, so that its byte positions are the
    /// server's.
    ///
    /// A body that was decoded has lost its Content-Length.
    var isPlain: Bool { self.headers.contains(.contentLength) && !self.headers.contains(.contentEncoding) }

    /// The same response with other fields, and the selection that they make.
    func with(_ headers: HTTPFields, _ selection: VariantSelection) -> StoredResponse {
        var response = StoredResponse(
            id: self.id,
            key: self.key,
            status: self.status,
            headers: headers,
            responseTime: self.responseTime,
            responseDelay: self.responseDelay,
            arrivalNumber: self.arrivalNumber,
            selection: selection
        )
        response.bodyByteCount = self.bodyByteCount
        return response
    }

    /// The response after a 304: with changed fields, a recalculated age and the same body (RFC 9111 section 4.3.4).
    func confirmed(
        by update: HTTPFields,
        responseTime: Int64,
        responseDelay: Int64,
        arrivalNumber: Int64,
        selection: VariantSelection
    ) -> StoredResponse {
        var response = StoredResponse(
            id: self.id,
            key: self.key,
            status: self.status,
            headers: StoredFields.merging(self.headers, with: update),
            responseTime: responseTime,
            responseDelay: responseDelay,
            arrivalNumber: arrivalNumber,
            selection: selection
        )
        response.bodyByteCount = self.bodyByteCount
        return response
    }
}
