// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport

/// Watches for a route to the network, or to one host, in the system's interfaces, addresses and routes.
///
/// **It is a hint, not a condition.** A route says nothing about the server at its end, and only a request tests that:
/// send it, and use the monitor to explain why it failed, or to decide when to try again.
///
/// ```swift
/// let monitor = ReachabilityMonitor(.host("api.example.com"))
/// monitor.start()
/// for await status in monitor.statuses {
///     print(status)
/// }
/// ```
///
/// The kernel reports changes (rtnetlink), so there is no polling, and no packets are sent except those of the
/// resolver. After a failed lookup, or while descriptors are short, the monitor looks again. One thread waits for the
/// kernel while a monitor runs. On systems other than Linux the status stays ``ReachabilityStatus/unknown``.
///
/// Copies of a monitor are the same monitor. It stops once the last copy is released and ``statuses`` has no readers.
public struct ReachabilityMonitor: Sendable {
    /// What the monitor watches.
    public enum Target: Sendable, Hashable {
        /// The Internet: whether the system has a route for a public address.
        case network
        /// A host: whether there is a route to one of its addresses. A name is resolved when the monitor starts, and
        /// after every change; after a failure, again with a delay of 1 s to 30 s.
        case host(String)
    }

    /// What the monitor watches.
    public let target: Target

    private let core: ReachabilityCore

    /// A monitor of the network, shared by the whole program.
    public static let shared = ReachabilityMonitor()

    /// Creates a monitor, which watches nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - target: What the monitor watches; the network by default.
    ///   - resolver: Resolves the addresses of a name.
    public init(_ target: Target = .network, resolver: any NameResolver = .system) {
        self.init(target, probe: SystemRouteProbe(target, resolver))
    }

    /// Creates a monitor with another probe than the system's.
    init(_ target: Target, probe: any RouteProbe) {
        self.target = target
        self.core = ReachabilityCore(probe: probe)
    }

    /// The last status; ``ReachabilityStatus/unknown`` until the first is known, and kept after ``stop()``.
    public var status: ReachabilityStatus { self.core.status }

    /// Whether the last status says that there is a route.
    public var isReachable: Bool { self.status.isReachable }

    /// Starts watching.
    ///
    /// Returns at once. Starting again changes nothing.
    public func start() {
        self.core.start()
    }

    /// Stops watching, and ends the sequences of ``statuses``.
    ///
    /// The monitor can be started again.
    public func stop() {
        self.core.stop()
    }

    /// The status, and each later one that differs from its predecessor, in their order.
    ///
    /// The first is the current one, or the first that becomes known after ``start()``. Each reader has its own
    /// sequence, which buffers the newest 64 and ends with ``stop()``.
    public var statuses: AsyncStream<ReachabilityStatus> { self.core.makeStream() }

    /// Waits until there is a route, for example before trying again.
    ///
    /// The monitor runs meanwhile, whether or not it was started; if it was not, it watches no longer when the last
    /// caller has stopped waiting, and the sequences of ``statuses`` continue with ``start()``.
    ///
    /// - Parameters:
    ///   - limit: How long to wait; nil, the default, for as long as it takes.
    ///   - clock: The clock that measures the time.
    /// - Returns: Whether there is a route; also true if that is unknown, so that no caller waits in vain.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForRoute(within limit: Duration? = nil, clock: SessionClock = .system) async throws -> Bool {
        let core = self.core
        let statuses = core.beginWaiting()
        defer { core.endWaiting() }
        let isThere = try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask {
                for await status in statuses where status != .notReachable { return true }
                return nil
            }
            if let limit {
                group.addTask {
                    try await clock.sleep(for: limit)
                    return false
                }
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        try Task.checkCancellation()
        // The sequence has ended, because the monitor was stopped: the last status decides.
        return isThere ?? (self.status != .notReachable)
    }
}
