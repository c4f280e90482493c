// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import HTTPTypes

extension Request {
    /// Returns the same request with `Content-Digest` in its header (RFC 9530 section 2).
    ///
    /// The body is read once to compute it, off the caller's actor, and once more when it is sent. A request without a
    /// body is unchanged.
    ///
    /// - Parameter algorithm: The algorithm; SHA-256 by default.
    /// - Returns: The request.
    /// - Throws: ``SessionError/Code/bodyFailed`` if the body cannot be read, or only once; `CancellationError` when the task is cancelled.
    @concurrent
    public func addingContentDigest(_ algorithm: ContentDigest.Algorithm = .sha256) async throws -> Request {
        if case .none = self.body { return self }
        guard self.body.isReplayable else {
            throw SessionError(
                .bodyFailed,
                reason: "the body can be read only once; send its digest as a trailer",
                request: self
            )
        }
        var digest = BodyDigester(algorithm)
        do {
            try await self.body.read(by: 256 * 1024) { digest.update($0) }
        } catch let error as SerializationError {
            // Nothing has been sent yet.
            throw SessionError(error, request: self)
        } catch {
            throw SessionError.wrapping(error, request: self, source: .transport)
        }
        var request = self
        request.headers[.contentDigest] = digest.field
        return request
    }

    /// Returns the same request with `Content-Digest` in its trailers, computed while the body is sent (RFC 9530
    /// section 2, RFC 9110 section 6.5).
    ///
    /// The digest is that of the bytes which are sent, also if the body is compressed later, and each message has its
    /// own. On HTTP/1.1 the body is then sent in chunks. Many servers drop trailers. A request without a body is
    /// unchanged.
    ///
    /// - Parameter algorithm: The algorithm; SHA-256 by default.
    /// - Returns: The request.
    public func addingContentDigestTrailer(_ algorithm: ContentDigest.Algorithm = .sha256) -> Request {
        if case .none = self.body { return self }
        var request = self
        request.transportOptions.contentDigestTrailer = algorithm
        request.headers[.trailer] = (self.headers[values: .trailer] + [UploadField.contentDigest.rawValue])
            .joined(separator: ", ")
        return request
    }
}
