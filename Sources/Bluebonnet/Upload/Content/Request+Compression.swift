// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// How a body can be compressed while it is sent (RFC 9110 section 8.4.1).
public enum BodyCompression: String, Sendable, Hashable {
    /// gzip (RFC 1952), which nearly every server that accepts compressed bodies supports.
    case gzip
    #if Zstandard
    /// Zstandard (RFC 8878): smaller and several times as fast; available with the package trait `Zstandard`.
    case zstd
    #endif

    func makeEncoder() -> any ContentEncoder {
        switch self {
        case .gzip: ZlibEncoder(.gzip)
        #if Zstandard
        case .zstd: ZstandardEncoder()
        #endif
        }
    }
}

extension Request {
    /// Returns the same request with its body compressed while it is sent (RFC 9110 section 8.4).
    ///
    /// `Content-Encoding` is set, and the body is sent in chunks, because its length is not known: use it for servers
    /// that accept both. A body that is already compressed, for example a picture, gains nothing. A content digest
    /// in front of the body covers the compressed bytes, so compress first. A request without a body is unchanged.
    ///
    /// ```swift
    /// let request = Request(method: .post, url: url, body: .file(log)).compressingBody()
    /// ```
    ///
    /// - Parameter compression: The coding; gzip by default.
    /// - Returns: The request.
    public func compressingBody(_ compression: BodyCompression = .gzip) -> Request {
        if case .none = self.body { return self }
        var request = self
        let body = self.body
        request.body = .stream(length: nil, isReplayable: body.isReplayable) {
            EncodedBodyReader(try body.makeReader(), compression)
        }
        let codings = self.headers[values: .contentEncoding] + [compression.rawValue]
        request.headers[.contentEncoding] = codings.joined(separator: ", ")
        return request
    }
}
