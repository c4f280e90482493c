// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// Writes a body into the store while its consumer reads it; only a complete one is kept.
final class CacheRecorder: ResponseBodySink {
    private let writer: any CacheWriter
    private let limit: Int
    /// The number of bytes that the response announced; nil if it did not.
    private let length: Int64?
    private let byteCount = Mutex<Int64>(0)

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - writer: Takes the bytes.
    ///   - limit: The largest body that is stored.
    ///   - length: The number of bytes that the response announced.
    init(_ writer: any CacheWriter, limit: Int, length: Int64?) {
        self.writer = writer
        self.limit = limit
        self.length = length
    }

    private struct TooLarge: Error {}

    func write(_ bytes: ByteBuffer) async throws {
        let count = self.byteCount.withLock { count in
            count += Int64(bytes.readableBytes)
            return count
        }
        do {
            guard count <= Int64(self.limit) else { throw TooLarge() }
            try await self.writer.write(bytes)
        } catch {
            self.writer.discard()
            throw error
        }
    }

    func finish(trailers: HTTPFields?, metrics: ExchangeMetrics?) async {
        let count = self.byteCount.withLock { $0 }
        guard self.length ?? count == count else { return self.writer.discard() }
        do {
            try await self.writer.commit()
        } catch {
            self.writer.discard()
        }
    }

    func abort(_ error: any Error) {
        self.writer.discard()
    }
}

/// The value of a Content-Length field.
enum ContentLength {
    /// Parses a number of bytes: digits, and nothing else.
    static func parse(_ text: String) -> Int64? {
        guard !text.utf8.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
