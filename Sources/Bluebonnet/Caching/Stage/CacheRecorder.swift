// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// Writes a body into the store while its consumer reads it: the whole body, or its beginning if the rest can be
/// fetched.
final class CacheRecorder: ResponseBodySink {
    private let writer: any CacheWriter
    private let entry: StoredResponse
    private let cache: ResponseCache
    private let fetch: CacheChanges.Fetch
    private let reason: CacheStatus.Forward
    private let keepsPart: Bool
    private let replaced: StoredResponse?
    private let byteCount = Mutex<Int64>(0)

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - writer: Takes the bytes.
    ///   - entry: The head of the response.
    ///   - cache: The cache.
    ///   - fetch: The request, which an unsafe request may overtake.
    ///   - reason: Why the server was asked.
    ///   - keepsPart: Whether the beginning of a body is kept if it is not read to its end.
    ///   - replaced: The stored response that it was requested in place of; nil if there was none.
    init(
        _ writer: any CacheWriter,
        of entry: StoredResponse,
        in cache: ResponseCache,
        for fetch: CacheChanges.Fetch,
        _ reason: CacheStatus.Forward,
        keepsPart: Bool,
        replacing replaced: StoredResponse?
    ) {
        self.writer = writer
        self.entry = entry
        self.cache = cache
        self.fetch = fetch
        self.reason = reason
        self.keepsPart = keepsPart
        self.replaced = replaced
    }

    private struct TooLarge: Error {}

    func write(_ bytes: ByteBuffer) async throws {
        let count = self.byteCount.withLock { count in
            count += Int64(bytes.readableBytes)
            return count
        }
        do {
            guard count <= Int64(self.cache.maximumBodyByteCount) else { throw TooLarge() }
            try await self.writer.write(bytes)
        } catch {
            self.writer.discard()
            throw error
        }
    }

    func finish(trailers: HTTPFields?, metrics: ExchangeMetrics?) async {
        let count = self.byteCount.withLock { $0 }
        guard self.entry.announcedByteCount ?? count == count else { return self.writer.discard() }
        let isKept = await self.fetch.commit {
            do {
                try await self.removeFromFuture()
                try await self.writer.commit()
                // The writer replaces what has the same variant. With another Vary both would be found from now on.
                if let replaced, replaced.variant != self.entry.variant { try await self.cache.store.remove(replaced) }
            } catch {
                self.writer.discard()
            }
        } remove: {
            try? await self.cache.store.remove(self.entry)
        }
        if !isKept { self.writer.discard() }
    }

    /// Removes the whole responses of the same variant from before the clock was set back: a store would keep the one
    /// with the later time, and not this one.
    private func removeFromFuture() async throws {
        // With any other reason there may be one, also if none is replaced: not every request looks for it.
        guard self.reason != .uriMiss else { return }
        let now = self.cache.wallClock.now
        for other in try await self.cache.store.responses(for: self.entry.key)
        where other.variant == self.entry.variant && !other.isPart && other.responseTime > now {
            try await self.cache.store.remove(other)
        }
    }

    func abort(_ error: any Error) {
        let count = self.byteCount.withLock { $0 }
        // After a change the server has another validator, so a part needs no check for changes here.
        if self.keepsPart, count > 0, count < self.entry.announcedByteCount ?? 0 {
            self.writer.keepPart()
        } else {
            self.writer.discard()
        }
    }
}
