// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import Synchronization

/// The rates at which bodies may be received and sent, shared by all users of the same object.
///
/// ```swift
/// configuration.rateLimit = RateLimit(download: 10_000_000)        // all calls of the session together
/// request.rateLimit = RateLimit(download: 1_000_000)               // this request alone
/// ```
///
/// A request with several limits obeys all of them; the same object as the session's and the request's is one limit.
/// Bytes are counted as the session reads and writes them: after decoding, and without header fields. The limit is
/// enforced by not reading from the connection, and by not writing to it, so that the server sends no faster; no thread
/// waits. A small body that arrives at once is counted too: the next exchange begins when the rate allows it. After a
/// short pause the rate may be exceeded until the average is reached again: by the bytes of a quarter of a second, or
/// by 64 KiB if that is more, and never by more than those of one second. One object must not be shared by sessions
/// with different clocks.
public final class RateLimit: Sendable {
    /// The bytes per second that are received, at least 1; nil for no limit.
    public let download: Int64?

    /// The bytes per second that are sent, at least 1; nil for no limit.
    public let upload: Int64?

    let downloadBucket: TokenBucket?
    let uploadBucket: TokenBucket?

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - download: The bytes per second that are received; nil for no limit.
    ///   - upload: The bytes per second that are sent; nil for no limit.
    public init(download: Int64? = nil, upload: Int64? = nil) {
        self.download = download.map { max($0, 1) }
        self.upload = upload.map { max($0, 1) }
        self.downloadBucket = self.download.map { TokenBucket(rate: $0) }
        self.uploadBucket = self.upload.map { TokenBucket(rate: $0) }
    }
}

extension Request {
    /// The rates of this request's bodies, in addition to those of ``Session/Configuration/rateLimit``; nil, the
    /// default, for no others.
    ///
    /// An interceptor may set it, too.
    public var rateLimit: RateLimit? {
        get { self.context[RateLimit.self] }
        set { self.context[RateLimit.self] = newValue }
    }
}

/// Computes how long to wait after a number of bytes to keep a rate.
///
/// Bytes are taken after they were transferred, so the balance may be negative; the next transfer waits until it is
/// not, whether it continues the same body or begins another one.
final class TokenBucket: Sendable {
    private struct State {
        /// The bytes that may be transferred at once; below zero, the bytes transferred too early.
        var tokens: Double
        var filled: SessionClock.Instant?
    }

    /// The bytes of one second, limited to a GiB: no more are transferred before the next wait.
    let largestPiece: Int

    private let rate: Double
    private let capacity: Double
    private let state: Mutex<State>

    /// - Parameter rate: The bytes per second.
    init(rate: Int64) {
        self.rate = Double(rate)
        self.largestPiece = Int(min(max(rate, 1), 1 << 30))
        // After a short scheduling pause the average is restored; after a pause of a minute it is not.
        self.capacity = max(Double(rate) / 4, min(Double(rate), 64 * 1024))
        self.state = Mutex(State(tokens: self.capacity))
    }

    /// Takes transferred bytes from the bucket.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - now: The time.
    /// - Returns: How long to wait before the next bytes; zero for no wait.
    func take(_ count: Int, now: SessionClock.Instant) -> Duration {
        let missing = self.state.withLock { state in
            let elapsed = state.filled.map { max($0.duration(to: now) / .seconds(1), 0) } ?? 0
            state.filled = now
            state.tokens = min(state.tokens + elapsed * self.rate, self.capacity) - Double(count)
            return -state.tokens
        }
        // A wait of a day is practically endless, and a duration must not overflow.
        return missing > 0 ? .seconds(min(missing / self.rate, 86_400)) : .zero
    }
}
