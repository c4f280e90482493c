// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport

/// Watches whether there is a way to the network, or to one host: what the system's interfaces, addresses and routes say.
///
/// **It is a hint, and no gate.** A route says nothing about the server at its end, and a request is the only test that counts: send
/// it, and use the monitor to say why it failed, or when to try again.
///
/// ```swift
/// let monitor = ReachabilityMonitor(.host("api.example.com"))
/// monitor.start()
/// for await status in monitor.statuses {
///     print(status)
/// }
/// ```
///
/// The kernel tells of changes (rtnetlink), so nothing is polled, and no packet is sent but those of the resolver. One thread waits for the
/// kernel while a monitor runs. On systems other than Linux the status stays ``ReachabilityStatus/unknown``.
///
/// Copies of a monitor are the same monitor. It stops when the last copy is dropped and nobody reads its ``statuses``.
public struct ReachabilityMonitor: Sendable {
    /// What is to be reached.
    public enum Target: Sendable, Hashable {
        /// The Internet: whether the system would send packets for a public address to somewhere.
        case network
        /// A host: whether there is a route to one of its addresses. A name is looked up when the monitor starts, and after every change.
        case host(String)
    }

    /// What is to be reached.
    public let target: Target

    private let core: ReachabilityCore

    /// A monitor of the network that the whole program shares.
    public static let shared = ReachabilityMonitor()

    /// Creates a monitor, which watches nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - target: What is to be reached; the network unless given.
    ///   - resolver: What looks up the addresses of a name.
    public init(_ target: Target = .network, resolver: any NameResolver = .system) {
        self.init(target, probe: SystemRouteProbe(target, resolver))
    }

    /// Creates a monitor that asks something else than the system.
    init(_ target: Target, probe: any RouteProbe) {
        self.target = target
        self.core = ReachabilityCore(probe: probe)
    }

    /// The last status; ``ReachabilityStatus/unknown`` until the first is known, and kept after ``stop()``.
    public var status: ReachabilityStatus { self.core.status }

    /// Whether the last status says that there is a route.
    public var isReachable: Bool { self.status.isReachable }

    /// Starts to watch.
    ///
    /// Returns at once. Starting again changes nothing.
    public func start() {
        self.core.start()
    }

    /// Stops to watch, and ends the sequences of ``statuses``.
    ///
    /// The monitor can be started again.
    public func stop() {
        self.core.stop()
    }

    /// The status, and each that differs from the one before, in their order.
    ///
    /// The first is the current one, or the first that becomes known after ``start()``. Each reader has a sequence of his own. It keeps the
    /// newest 64 for a reader that is slow. It ends with ``stop()``.
    public var statuses: AsyncStream<ReachabilityStatus> { self.core.makeStream() }

    /// Waits until there is a route, for whoever would try again then.
    ///
    /// The monitor runs meanwhile, whether or not it was started; one that was not stops again when nobody waits any more.
    ///
    /// - Parameters:
    ///   - limit: How long to wait; nil, the default, for as long as it takes.
    ///   - clock: What the time is measured with.
    /// - Returns: Whether there is a route; also true if nothing can be known, so that nobody waits for what will never be told.
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
        // The sequence has ended, because somebody stopped the monitor: what is known is the answer.
        return isThere ?? (self.status != .notReachable)
    }
}
