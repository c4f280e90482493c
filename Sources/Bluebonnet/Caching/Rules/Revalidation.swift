// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// Conditional requests of the cache itself, and the meaning of their responses (RFC 9111 section 4.3).
enum Revalidation {
    /// The request with the validators of a stored response (section 4.3.1); nil if it has none.
    static func request(_ request: Request, for stored: StoredResponse) -> Request? {
        guard stored.hasValidator else { return nil }
        var request = request
        if let tag = stored.headers[.eTag] { request.headers[.ifNoneMatch] = tag }
        if let date = stored.headers[.lastModified] { request.headers[.ifModifiedSince] = date }
        return request
    }

    /// Whether a 304 is about a stored response (section 4.3.4): any validators that it has equal the stored ones.
    static func confirms(_ headers: HTTPFields, _ stored: StoredResponse) -> Bool {
        if let field = headers[.eTag] {
            guard let tag = EntityTag(field), let own = stored.entityTag else {
                return stored.headers[.eTag].map { $0.utf8.elementsEqual(field.utf8) } ?? false
            }
            return tag.isWeak ? tag.matchesWeakly(own) : tag.matchesWeakly(own) && (!own.isWeak || stored.status == .ok)
        }
        if let date = headers[.lastModified], let own = stored.headers[.lastModified] {
            return date.utf8.elementsEqual(own.utf8)
        }
        return true
    }

    /// Whether a response to HEAD matches a stored response to GET (section 4.3.5): validators and length are the same.
    static func agrees(_ headers: HTTPFields, with stored: StoredResponse) -> Bool {
        let names: [HTTPField.Name] = [.eTag, .lastModified, .contentLength]
        return names.allSatisfy { name in
            guard let new = headers[name] else { return true }
            return stored.headers[name].map { $0.utf8.elementsEqual(new.utf8) } ?? false
        }
    }
}
