// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Completes a response whose beginning is stored, because its reader abandoned it or its connection was lost (RFC 9111
/// sections 3.3 and 3.4).
///
/// Only bytes with the same strong validator are combined. A part answers no request until it is complete.
struct CacheCompletion {
    private let part: StoredResponse
    private let tag: EntityTag
    private let tagField: String
    private let wholeByteCount: Int64

    /// Creates the completion of a stored part; nil if it cannot be completed.
    init?(_ part: StoredResponse) {
        guard let tag = part.entityTag, !tag.isWeak, let tagField = part.headers[.eTag], part.isPlain,
            let count = part.announcedByteCount, (1..<count).contains(part.bodyByteCount)
        else { return nil }
        self.part = part
        self.tag = tag
        self.tagField = tagField
        self.wholeByteCount = count
    }

    /// Whether the beginning of a body is worth keeping.
    ///
    /// - Parameters:
    ///   - entry: The head of the response.
    ///   - stored: The stored response for the same request: a whole of the same version is not replaced by a part.
    /// - Returns: Whether a range request could bring the rest.
    static func mayKeepPart(of entry: StoredResponse, insteadOf stored: StoredResponse?) -> Bool {
        guard entry.status == .ok, entry.isPlain, let tag = entry.entityTag, !tag.isWeak,
            entry.announcedByteCount != nil, !FieldList.names(of: .acceptRanges, in: entry.headers).contains("none")
        else { return false }
        guard let stored, !stored.isPart, let other = stored.entityTag else { return true }
        return !tag.matchesWeakly(other)
    }

    /// The request for the rest: a server with another version sends the whole body (RFC 9110 section 13.1.5).
    func request(_ asked: CacheableRequest) -> Request {
        var request = asked.request
        request.headers[.range] = "bytes=\(self.part.bodyByteCount)-"
        request.headers[.ifRange] = self.tagField
        // A whole response that arrives instead is decoded as that of the original request would be.
        if asked.isDecoded { request.options.decodesContent = true }
        return request
    }

    /// Whether a 206 has exactly the missing bytes.
    func fits(_ response: StreamedResponse) -> Bool {
        guard let tag = response.headers[.eTag].flatMap({ EntityTag($0) }), tag.matchesStrongly(self.tag),
            !response.headers.contains(.contentEncoding)
        else { return false }
        let missing = self.part.bodyByteCount...(self.wholeByteCount - 1)
        return ContentRange(response.headers) == .part(missing, of: self.wholeByteCount)
    }

    /// The whole response.
    ///
    /// - Parameters:
    ///   - beginning: The stored part of the body.
    ///   - rest: The response that fits.
    ///   - request: The request.
    /// - Returns: A response with the status 200. New fields have replaced stored ones (RFC 9111 section 3.4).
    func whole(_ beginning: ResponseBody, _ rest: StreamedResponse, of request: Request) -> StreamedResponse {
        var headers = StoredFields.merging(self.part.headers, with: rest.headers)
        headers[.contentLength] = "\(self.wholeByteCount)"
        var whole = StreamedResponse(to: request, status: .ok, headers: headers, metrics: rest.metrics)
        let body = JoinedBody(beginning, rest.body, byteCount: self.wholeByteCount)
        whole.replaceBody(
            with: ResponseBody(source: body, expectedLength: self.wholeByteCount),
            isOfServer: rest.isBodyOfServer
        )
        return whole
    }
}
