// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Decides whether a reply's body has to be decoded, from its head.
enum ContentDecoding {
    /// The coding to undo; nil if the body is to be left as it is.
    ///
    /// - Throws: An error if the reply has more codings than one, which nobody sends who means well.
    static func coding(of head: ReplyHead) throws(TransportError) -> Inflater.Coding? {
        // A part of an encoded body cannot be decoded on its own (RFC 9110 section 14.2).
        guard head.status.code != 206, let field = head.headers[.contentEncoding] else { return nil }
        let codings = field.listElements.map { $0.lowercased() }.filter { $0 != "identity" }
        guard codings.count <= 1 else {
            throw TransportError(
                .decompressionFailed,
                phase: .body,
                reason: "the reply is encoded \(codings.count) times; once is the limit",
                isRequestSent: true
            )
        }
        switch codings.first {
        case "gzip", "x-gzip": return .gzip
        case "deflate": return .deflate
        default: return nil
        }
    }
}
