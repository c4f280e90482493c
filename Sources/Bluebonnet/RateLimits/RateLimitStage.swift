// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// Enforces the rates of a session and of its requests; it runs directly above the exchange, so that stored responses
/// are not delayed.
///
/// It has nothing to do for a request without any limit.
final class RateLimitStage: IdleStage {
    /// The limit of the session.
    let limit: RateLimit?

    init(limit: RateLimit?) {
        self.limit = limit
    }

    func isIdle(for request: Request, of call: Call) -> Bool {
        self.limit == nil && (request.context.isEmpty || request.rateLimit == nil)
    }

    func concerns(_ response: borrowing StreamedResponse, to request: Request) -> Bool { false }

    func act(on response: StreamedResponse, to request: Request, next: Chain) async throws -> StreamedResponse {
        response
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        // The same object is one limit, even if both the session and the request have it.
        let own = request.rateLimit.flatMap { $0 === self.limit ? nil : $0 }
        let limits = [self.limit, own].compactMap { $0 }
        let (uploads, downloads) = (limits.compactMap(\.uploadBucket), limits.compactMap(\.downloadBucket))
        var (request, buckets) = (request, downloads)
        if !uploads.isEmpty, request.hasBody {
            try await request.checkFile()
            request.body = request.body.paced(by: uploads, next.call.clock)
            buckets += uploads
        }
        try await Self.wait(for: buckets, next.call)
        var response = try await next(request)
        guard !downloads.isEmpty else { return response }
        // These bytes have arrived already; the next exchange waits for them.
        if let bytes = response.body.collectedBytes {
            _ = downloads.delay(after: bytes.readableBytes, now: next.call.clock.now)
            return response
        }
        let body = PacedResponseBody(response.body, downloads, next.call)
        response.replaceBody(
            with: ResponseBody(source: body, expectedLength: response.body.expectedLength),
            isOfServer: response.isBodyOfServer
        )
        return response
    }

    /// Waits until earlier bodies are within their rates: a small body has no later bytes that could wait.
    ///
    /// - Throws: ``SessionError/Code/timedOut`` at the call's deadline; `CancellationError` when the task is cancelled.
    @inline(never)
    private static func wait(for buckets: [TokenBucket], _ call: Call) async throws {
        let delay = buckets.delay(after: 0, now: call.clock.now)
        guard delay > .zero else { return }
        guard let remaining = call.remaining, remaining <= delay else {
            return try await call.sleep(for: delay)
        }
        try await call.sleep(for: remaining)
        throw call.deadlineError
    }
}

extension Session.Configuration {
    /// Whether the stage is among the session's stages.
    ///
    /// An interceptor may set the limit of a request, so interceptors require the stage, too. A session with neither
    /// adds it to calls whose requests have a limit.
    var hasRateLimitStage: Bool { self.rateLimit != nil || self.hasInterceptors }
}

extension Request {
    fileprivate var hasBody: Bool {
        if case .none = self.body { false } else { true }
    }

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
        let body = self
        return .stream(length: self.contentLength, isReplayable: self.isReplayable) {
            PacedBodyReader(reader: try body.makeReader(), buckets: buckets, clock: clock)
        }
    }
}

/// Reads a request's body in pieces, and computes how long to wait after each.
private struct PacedBodyReader: WrappingBodyReader {
    var reader: any BodyReader
    let buckets: [TokenBucket]
    let clock: SessionClock
    /// The largest number of bytes read at once: 16 KiB, or those of one second if that is less.
    private let largestPiece: Int
    private var delay = Duration.zero

    init(reader: any BodyReader, buckets: [TokenBucket], clock: SessionClock) {
        (self.reader, self.buckets, self.clock) = (reader, buckets, clock)
        self.largestPiece = buckets.reduce(16 * 1024) { Swift.min($0, $1.largestPiece) }
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(self.largestPiece))
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
    /// How long to wait before the next bytes are read; before the first ones, for those of other bodies.
    private let delay: Mutex<Duration>
    private let takenByteCount = Atomic<Int64>(0)

    init(_ body: ResponseBody, _ buckets: [TokenBucket], _ call: Call) {
        (self.body, self.buckets, self.call) = (body, buckets, call)
        self.delay = Mutex(buckets.delay(after: 0, now: call.clock.now))
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
        if delay > .zero { try await self.call.sleep(for: min(delay, self.call.remaining ?? delay)) }
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
