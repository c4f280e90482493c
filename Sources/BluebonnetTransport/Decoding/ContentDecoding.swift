// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// Decides from the head of a response whether its body is decoded.
enum ContentDecoding {
    /// Returns the codings to decode, in the order of decoding; empty if the body is left as it is.
    ///
    /// If one coding is not supported, the whole body is left as it is.
    ///
    /// - Throws: An error if the response has more codings than the limit.
    static func codings(of head: ResponseHead, limits: TransportLimits) throws(TransportError) -> [ContentCoding] {
        // A part of an encoded representation cannot be decoded on its own (RFC 9110 section 14.2).
        guard head.status.code != 206, let field = head.headers[.contentEncoding] else { return [] }
        return try self.codings(in: field, limits: limits)
    }

    /// Returns the codings of a Content-Encoding field, in the order of decoding; empty if one is not supported.
    ///
    /// - Throws: An error if there are more codings than the limit.
    static func codings(in field: String, limits: TransportLimits) throws(TransportError) -> [ContentCoding] {
        let names = field.listElements.filter { !$0.isASCIIWord("identity") }
        guard names.count <= limits.maximumCodingCount else {
            throw .undecodable(
                "the response is encoded \(names.count) times; the limit is \(limits.maximumCodingCount)"
            )
        }
        let codings = names.compactMap { ContentCoding(name: $0) }
        // They are listed in the order in which they were applied (RFC 9110 section 8.4).
        return codings.count == names.count ? codings.reversed() : []
    }
}

extension TransportError {
    /// The response's body cannot be decoded.
    static func undecodable(_ reason: String, underlying: (any Error)? = nil) -> TransportError {
        TransportError(
            .decompressionFailed,
            phase: .responseBody,
            reason: reason,
            underlying: underlying,
            isRequestSent: true
        )
    }
}
