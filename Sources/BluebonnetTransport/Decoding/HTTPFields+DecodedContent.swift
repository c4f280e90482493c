// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import NIOCore

extension HTTPFields {
    /// Decodes a whole body as Content-Encoding says.
    ///
    /// - Parameters:
    ///   - body: The encoded body.
    ///   - limit: The maximum number of decoded bytes.
    /// - Returns: The decoded body; nil if it has no coding, or one that is not supported, if it is corrupt, and if it
    ///   expands beyond the limits.
    package func decodedContent(of body: ByteBuffer, upTo limit: Int64) -> ByteBuffer? {
        var limits = TransportLimits()
        limits.maximumDecodedByteCount = limit
        guard let field = self[.contentEncoding],
            let codings = try? ContentDecoding.codings(in: field, limits: limits), !codings.isEmpty
        else { return nil }
        let decoder = BodyDecoder(codings, limits: limits)
        decoder.feed(body)
        var decoded = ByteBuffer()
        do {
            while var piece = try decoder.next() { decoded.writeBuffer(&piece) }
            try decoder.finish()
        } catch {
            return nil
        }
        return decoded
    }
}
