// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// A request that may be answered from a cache, with the properties that decide about it.
struct CacheableRequest: Sendable {
    let request: Request
    let key: CacheKey
    let directives: CacheDirectives
    let policy: RequestOptions.CachePolicy
    /// Whether the response is decoded before it is delivered.
    let isDecoded: Bool
    /// The requested range of bytes; nil for none.
    let range: String?
    /// The fields that select a stored response: those of the request, with the user instead of a Digest field, and
    /// with the account of a token in other fields.
    let selectingFields: HTTPFields

    var isHead: Bool { self.request.method == .head }

    /// Whether the request has a condition that a 304 may answer.
    var isConditional: Bool {
        self.request.headers.contains(.ifNoneMatch) || self.request.headers.contains(.ifModifiedSince)
    }

    /// Whether the request is for a whole body, without a condition.
    var wantsWhole: Bool { !self.isHead && !self.isConditional && self.range == nil }

    init(_ request: Request, _ key: CacheKey, decodesContent: Bool) {
        self.request = request
        self.key = key
        self.policy = request.options.cachePolicy ?? .useProtocolCachePolicy
        self.range = request.method == .get ? request.headers[.range] : nil
        self.isDecoded = decodesContent && !request.headers.contains(.range)
        self.selectingFields = TokenFields.selectingFields(of: request)
        var directives = CacheDirectives(request.headers)
        // RFC 9111 section 5.4: Pragma counts where there is no Cache-Control.
        if !directives.isPresent, request.headers.contains(where: { $0.name.canonicalName == "pragma" }) {
            let pragma = request.headers.filter { $0.name.canonicalName == "pragma" }.flatMap {
                FieldList.names(in: $0.value)
            }
            if pragma.contains("no-cache") { directives.noCache = .everything }
        }
        self.directives = directives
    }

    /// Whether the response to a request that the stages below the cache may have changed is one to this request: a network
    /// interceptor may send it to another URL or host, the next time to a third one, or forbid to store its response.
    func isFor(_ sent: Request, sentFor passed: Request) -> Bool {
        guard sent.url == passed.url else { return false }
        let hosts = [sent, passed].map { request in
            request.headers.filter { $0.name.canonicalName == "host" }
        }
        return hosts[0] == hosts[1] && !CacheDirectives(sent.headers).noStore
    }

    /// The fields that select the response to a request that the stages below the cache may have changed.
    ///
    /// A network interceptor may send the credentials of another user, or another language, the next time, and the cache
    /// would not notice. A response that depends on a field of theirs is therefore not selected by a request without it. To
    /// remove Accept-Encoding is the exception: every request accepts a body without a coding.
    ///
    /// - Parameters:
    ///   - sent: The request as it was sent.
    ///   - passed: The request that the cache passed to the stages below.
    /// - Returns: The fields.
    func selectingFields(of sent: Request, sentFor passed: Request) -> HTTPFields {
        var fields = self.selectingFields
        for name in Set(sent.headers.map(\.name) + passed.headers.map(\.name))
        where sent.headers[fields: name] != passed.headers[fields: name] {
            guard name != .acceptEncoding || sent.headers.contains(name) else { continue }
            fields[fields: name] = sent.headers[fields: name]
        }
        return fields
    }

    /// Whether the request selects a stored response.
    func selects(_ stored: StoredResponse) -> Bool {
        (stored.isPlain || stored.selection.isDecoded == self.isDecoded)
            && stored.selection.matches(self.selectingFields)
    }
}

extension Request {
    /// Whether the request must be forwarded to the server with its conditions unchanged.
    ///
    /// RFC 9111 section 4.3.2: If-Match and If-Unmodified-Since are for the origin server.
    var isForOrigin: Bool { self.headers.contains(.ifMatch) || self.headers.contains(.ifUnmodifiedSince) }
}
