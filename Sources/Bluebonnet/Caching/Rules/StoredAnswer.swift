// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// The answer that a stored response gives to a request: the whole of it, a range of its body, or a 304.
struct StoredAnswer {
    /// Which part of the body is delivered.
    enum Part: Equatable {
        case nothing
        case whole
        case range(Range<Int64>)
    }

    var status: HTTPResponse.Status
    var headers: HTTPFields
    var part: Part

    /// The fields of a 304 (RFC 9110 section 15.4.5).
    private static let notModified: Set<HTTPField.Name> = [
        .age, .cacheControl, .contentLocation, .date, .eTag, .expires, .lastModified, .vary,
    ]

    /// Answers a request; nil if the stored body does not have the server's bytes of the range.
    ///
    /// The request is forwarded then.
    ///
    /// - Parameters:
    ///   - stored: The stored response.
    ///   - request: The request.
    ///   - age: The age of the response, in seconds.
    ///   - isValidated: Whether the server has just confirmed the response.
    ///   - now: The time.
    init?(_ stored: StoredResponse, to request: CacheableRequest, age: Int64, isValidated: Bool, now: Int64) {
        var headers = stored.headers
        // RFC 9111 section 5.2.2.4: these fields are not reused without asking the server.
        if !isValidated, case .fields(let names) = stored.directives.noCache {
            headers = HTTPFields.filtered(headers) { !names.contains($0.canonicalName) }
        }
        headers[.age] = "\(age)"
        self.status = stored.status
        self.headers = headers
        self.part = request.isHead ? .nothing : .whole
        guard stored.status == .ok else { return }
        if Self.isUnchanged(stored, request.request.headers, now) {
            self.status = .notModified
            self.headers = HTTPFields.filtered(headers) { Self.notModified.contains($0) }
            self.part = .nothing
        } else if let range = request.range {
            guard self.select(range, stored, request, now) else { return nil }
        }
    }

    /// RFC 9110 section 13.1: If-None-Match, and where there is none If-Modified-Since.
    private static func isUnchanged(_ stored: StoredResponse, _ request: HTTPFields, _ now: Int64) -> Bool {
        if request.contains(.ifNoneMatch) {
            return EntityTag.list(request[values: .ifNoneMatch], matches: stored.entityTag)
        }
        guard let field = request[.ifModifiedSince], let since = HTTPDate.seconds(field, now: now) else { return false }
        // RFC 9111 section 4.3.2: where there is no Last-Modified, the Date, or the time of arrival.
        let date = (stored.headers[.lastModified] ?? stored.headers[.date]).flatMap { HTTPDate.seconds($0, now: now) }
        return date ?? stored.responseTime <= since
    }

    /// Selects one range of the body.
    ///
    /// - Returns: Whether the request is answered.
    private mutating func select(
        _ field: String,
        _ stored: StoredResponse,
        _ request: CacheableRequest,
        _ now: Int64
    ) -> Bool {
        guard stored.isPlain, let range = ByteRangeRequest(field) else { return false }
        if let condition = request.request.headers[.ifRange], !Self.allowsRange(condition, stored, now) {
            // RFC 9110 section 13.1.5: the body has changed since, so the whole body is delivered.
            return true
        }
        let length = stored.bodyByteCount
        guard let part = range.range(in: length) else {
            self.status = .rangeNotSatisfiable
            self.headers[.contentRange] = "bytes */\(length)"
            self.headers[.contentLength] = "0"
            self.part = .nothing
            return true
        }
        self.status = .partialContent
        self.headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
        self.headers[.contentLength] = "\(part.count)"
        self.part = .range(part)
        return true
    }

    /// RFC 9110 section 13.1.5: a strong entity tag, or the exact date of the last modification if that is strong.
    private static func allowsRange(_ condition: String, _ stored: StoredResponse, _ now: Int64) -> Bool {
        if let tag = EntityTag(condition) { return stored.entityTag?.matchesStrongly(tag) ?? false }
        guard let date = HTTPDate.seconds(condition, now: now),
            let modified = stored.headers[.lastModified].flatMap({ HTTPDate.seconds($0, now: now) }),
            let sent = stored.headers[.date].flatMap({ HTTPDate.seconds($0, now: now) })
        else { return false }
        // RFC 9110 section 8.8.2.2: within the second in which it was sent, the body may have changed again.
        return modified == date && modified < sent
    }
}
