// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import BluebonnetTransport
import Crypto
import FoundationEssentials
import HTTPTypes
import Synchronization

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
    /// On HTTP/1.1 the body is then sent in chunks. Many servers drop trailers. A request without a body is unchanged.
    ///
    /// - Parameter algorithm: The algorithm; SHA-256 by default.
    /// - Returns: The request.
    public func addingContentDigestTrailer(_ algorithm: ContentDigest.Algorithm = .sha256) -> Request {
        if case .none = self.body { return self }
        var request = self
        let body = self.body
        let sent = SentDigest()
        request.body = .stream(length: body.contentLength, isReplayable: body.isReplayable) {
            DigestingBodyReader(reader: try body.makeReader(), digest: BodyDigester(algorithm), sent: sent)
        }
        let others = request.transport.trailers
        request.transport.trailers = {
            var fields = others?() ?? HTTPFields()
            fields[.contentDigest] = sent.field
            return fields
        }
        request.headers[.trailer] = (self.headers[values: .trailer] + [UploadField.contentDigest.rawValue])
            .joined(separator: ", ")
        return request
    }
}

/// Computes a digest with either algorithm.
private struct BodyDigester: Sendable {
    private let algorithm: ContentDigest.Algorithm
    private var sha256 = SHA256()
    private var sha512 = SHA512()

    init(_ algorithm: ContentDigest.Algorithm) { self.algorithm = algorithm }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch self.algorithm {
        case .sha256: self.sha256.update(bufferPointer: bytes)
        case .sha512: self.sha512.update(bufferPointer: bytes)
        }
    }

    /// The value of the field.
    var field: String {
        let digest =
            switch self.algorithm {
            case .sha256: Data(self.sha256.finalize())
            case .sha512: Data(self.sha512.finalize())
            }
        return "\(self.algorithm.rawValue)=:\(digest.base64EncodedString()):"
    }
}

/// The digest of the last sent body; a second reader is a second attempt.
private final class SentDigest: Sendable {
    private let value = Mutex<String?>(nil)

    var field: String? {
        get { self.value.withLock { $0 } }
        set { self.value.withLock { $0 = newValue } }
    }
}

/// Computes the digest of a body while it is read.
private struct DigestingBodyReader: WrappingBodyReader {
    var reader: any BodyReader
    var digest: BodyDigester
    let sent: SentDigest

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try self.reader.read(into: buffer)
        if count > 0, count <= buffer.count {
            self.digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        // After each piece: an engine that knows the length may not read the end.
        self.sent.field = self.digest.field
        return count
    }
}
