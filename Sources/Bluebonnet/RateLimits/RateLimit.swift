// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import Synchronization

/// The rates at which bodies may be received and sent, shared by whatever is given the same object.
///
/// ```swift
/// configuration.rateLimit = RateLimit(download: 10_000_000)        // all calls of the session together
/// request.rateLimit = RateLimit(download: 1_000_000)               // this request alone
/// ```
///
/// A request that is under several limits keeps all of them. Bytes count as the session reads and writes them: after decoding, and without
/// header fields. The limit is kept by not reading from the connection, and by not writing to it, so that the server sends no faster; no
/// thread waits. A moment's pause may be made up for. A quarter of a second's bytes may go by at once, or 64 KiB if that
/// is more, and never more than one second's. One object must not be shared by sessions with different clocks.
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
    /// The rates of this request's bodies, beside those of ``Session/Configuration/rateLimit``; nil, the default, for no others.
    public var rateLimit: RateLimit? {
        get { self.context[RateLimit.self] }
        set { self.context[RateLimit.self] = newValue }
    }
}

/// Says how long to wait after a number of bytes, so that a rate is kept.
///
/// Bytes are taken after they have gone by, so the account may be overdrawn; whoever comes next waits until it is not.
final class TokenBucket: Sendable {
    private struct State {
        /// What may go by at once; below zero, what has gone by too early.
        var tokens: Double
        var filled: SessionClock.Instant?
    }

    private let rate: Double
    private let capacity: Double
    private let state: Mutex<State>

    /// - Parameter rate: The bytes per second.
    init(rate: Int64) {
        self.rate = Double(rate)
        // A pause of a scheduler is made up for; one of a minute is not.
        self.capacity = max(Double(rate) / 4, min(Double(rate), 64 * 1024))
        self.state = Mutex(State(tokens: self.capacity))
    }

    /// Takes bytes that have gone by.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - now: The time.
    /// - Returns: How long to wait before the next ones; zero for not at all.
    func take(_ count: Int, now: SessionClock.Instant) -> Duration {
        let missing = self.state.withLock { state in
            let elapsed = state.filled.map { max($0.duration(to: now) / .seconds(1), 0) } ?? 0
            state.filled = now
            state.tokens = min(state.tokens + elapsed * self.rate, self.capacity) - Double(count)
            return -state.tokens
        }
        // A wait of a day is for ever, and a duration has an end.
        return missing > 0 ? .seconds(min(missing / self.rate, 86_400)) : .zero
    }
}
