// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The engine's source of time: the system's clock, or a clock that a test controls.
///
/// Deadlines use the event loops' scale, timestamps the one that users see; both come from here, and every timer is
/// scheduled here.
package struct EngineClock: Sendable {
    private let manual: (any ManualTime)?

    /// The system's clock, with the timers of the event loops.
    package static let system = EngineClock(manual: nil)

    /// Creates a manually controlled clock.
    package init(_ manual: any ManualTime) {
        self.init(manual: manual)
    }

    private init(manual: (any ManualTime)?) {
        self.manual = manual
    }

    /// Returns the current time for deadlines.
    package func now() -> NIODeadline { self.manual?.now ?? .now() }

    /// Returns the current time for timestamps.
    package func instant() -> ExchangeMetrics.Instant { ExchangeMetrics.Instant(self.now()) }

    /// Schedules a closure on an event loop.
    package func schedule(
        at deadline: NIODeadline,
        on eventLoop: any EventLoop,
        _ action: @escaping @Sendable () -> Void
    ) -> EngineTimer {
        if let manual { return EngineTimer(cancellation: manual.schedule(at: deadline, on: eventLoop, action)) }
        return EngineTimer(scheduled: eventLoop.scheduleTask(deadline: deadline, action))
    }

    /// Waits for a duration, until the task is cancelled at the latest.
    func sleep(for duration: Duration, on eventLoop: any EventLoop) async {
        let end = eventLoop.makePromise(of: Void.self)
        let timer = self.schedule(at: self.now() + TimeAmount(duration), on: eventLoop) { end.succeed() }
        // Completing a promise again has no effect.
        await withTaskCancellationHandler {
            try? await end.futureResult.get()
        } onCancel: {
            end.succeed()
        }
        timer.cancel()
    }
}

/// A manually controlled clock.
package protocol ManualTime: AnyObject, Sendable {
    /// The current time, on the scale of deadlines.
    var now: NIODeadline { get }

    /// Schedules a closure on an event loop for a time of this clock.
    ///
    /// - Returns: The timer, which can be cancelled.
    func schedule(
        at deadline: NIODeadline,
        on eventLoop: any EventLoop,
        _ action: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void
}

/// A scheduled closure, which can be cancelled.
package struct EngineTimer: Sendable {
    var scheduled: Scheduled<Void>?
    var cancellation: (@Sendable () -> Void)?

    package func cancel() {
        self.scheduled?.cancel()
        self.cancellation?()
    }
}
