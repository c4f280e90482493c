// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// Enforces the rates of a session and of its requests; it runs directly above the exchange, so that stored responses
/// are not delayed.
struct RateLimitStage: Interceptor {
    /// The limit of the session.
    let limit: RateLimit?

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        let limits = [self.limit, request.rateLimit].compactMap { $0 }
        let (uploads, downloads) = (limits.compactMap(\.uploadBucket), limits.compactMap(\.downloadBucket))
        var request = request
        if !uploads.isEmpty {
            try await request.checkFile()
            request.body = request.body.paced(by: uploads, next.call.clock)
        }
        var response = try await next(request)
        guard !downloads.isEmpty else { return response }
        // These bytes have arrived already; later ones wait for them.
        if let bytes = response.body.collectedBytes {
            _ = downloads.delay(after: bytes.readableBytes, now: next.call.clock.now)
            return response
        }
        let body = PacedResponseBody(response.body, downloads, next.call)
        response.body = ResponseBody(source: body, expectedLength: response.body.expectedLength)
        return response
    }
}

extension Request {
    /// Refuses a file that cannot be read before anything is sent, as the transport does with a body that it knows to be
    /// a file.
    @concurrent
    fileprivate func checkFile() async throws {
        guard case .file = self.body else { return }
        do throws(SerializationError) {
            _ = try self.body.makeReader()
        } catch {
            throw SessionError(error, request: self)
        }
    }
}

extension RequestBody {
    /// The same body, limited to the given rates.
    fileprivate func paced(by buckets: [TokenBucket], _ clock: SessionClock) -> RequestBody {
        if case .none = self { return self }
        let body = self
        return .stream(length: self.contentLength, isReplayable: self.isReplayable) {
            PacedBodyReader(reader: try body.makeReader(), buckets: buckets, clock: clock)
        }
    }
}

/// Reads a request's body in pieces, and computes how long to wait after each.
private struct PacedBodyReader: BodyReader {
    private static let largestPiece = 16 * 1024

    var reader: any BodyReader
    let buckets: [TokenBucket]
    let clock: SessionClock
    private var delay = Duration.zero

    init(reader: any BodyReader, buckets: [TokenBucket], clock: SessionClock) {
        (self.reader, self.buckets, self.clock) = (reader, buckets, clock)
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Self.largestPiece))
        let count = try self.reader.read(into: piece)
        let now = self.clock.now
        self.delay = max(self.buckets.delay(after: count, now: now), self.reader.delayBeforeNextRead)
        return count
    }

    var delayBeforeNextRead: Duration { self.delay }
}

/// A response's body that is read at limited rates.
private final class PacedResponseBody: ResponseBody.Source {
    private let body: ResponseBody
    private let buckets: [TokenBucket]
    private let call: Call
    /// How long to wait before the next bytes are read.
    private let delay = Mutex(Duration.zero)
    private let takenByteCount = Atomic<Int64>(0)

    init(_ body: ResponseBody, _ buckets: [TokenBucket], _ call: Call) {
        (self.body, self.buckets, self.call) = (body, buckets, call)
    }

    var trailers: HTTPFields? { self.body.trailers }

    var metrics: ExchangeMetrics? { self.body.metrics }

    var remainingByteCount: Int64? {
        self.body.expectedLength.map { max($0 - self.takenByteCount.load(ordering: .relaxed), 0) }
    }

    func abandon() { self.body.abandon() }

    func next() async throws -> ByteBuffer? {
        let delay = self.delay.withLock { $0 }
        // The connection is not read meanwhile, and the server stops sending when the system's buffers are full.
        // At the total limit of the call the transport fails, which must not wait for a longer delay.
        if delay > .zero { try await self.call.clock.sleep(for: min(delay, self.call.remaining ?? delay)) }
        self.delay.withLock { $0 = .zero }
        var iterator = self.body.makeAsyncIterator()
        guard let buffer = try await iterator.next() else { return nil }
        self.takenByteCount.add(Int64(buffer.readableBytes), ordering: .relaxed)
        let next = self.buckets.delay(after: buffer.readableBytes, now: self.call.clock.now)
        self.delay.withLock { $0 = next }
        return buffer
    }
}

extension [TokenBucket] {
    /// Counts transferred bytes, and returns how long to wait before the next ones.
    fileprivate func delay(after count: Int, now: SessionClock.Instant) -> Duration {
        self.map { $0.take(count, now: now) }.max() ?? .zero
    }
}
