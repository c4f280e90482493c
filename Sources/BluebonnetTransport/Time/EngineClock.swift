// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Where the engine takes its time from: the system, or a clock that a test turns by hand.
///
/// Deadlines count on the scale of the event loops, stamps on the one that users see; both come from here, and every timer is set here.
package struct EngineClock: Sendable {
    private let manual: (any ManualTime)?

    /// The time of the system, and the timers of the event loops.
    package static let system = EngineClock(manual: nil)

    /// A clock that somebody turns.
    package init(_ manual: any ManualTime) {
        self.init(manual: manual)
    }

    private init(manual: (any ManualTime)?) {
        self.manual = manual
    }

    /// The time now, for deadlines.
    package func now() -> NIODeadline { self.manual?.now ?? .now() }

    /// The time now, for stamps.
    package func instant() -> ExchangeMetrics.Instant { ExchangeMetrics.Instant(self.now()) }

    /// Lets something happen on an event loop at a time to come.
    package func schedule(
        at deadline: NIODeadline,
        on eventLoop: any EventLoop,
        _ action: @escaping @Sendable () -> Void
    ) -> EngineTimer {
        if let manual { return EngineTimer(cancellation: manual.schedule(at: deadline, on: eventLoop, action)) }
        return EngineTimer(scheduled: eventLoop.scheduleTask(deadline: deadline, action))
    }

    /// Waits; no longer than until the task is cancelled.
    func sleep(for duration: Duration, on eventLoop: any EventLoop) async {
        let end = eventLoop.makePromise(of: Void.self)
        let timer = self.schedule(at: self.now() + TimeAmount(duration), on: eventLoop) { end.succeed() }
        // A promise that is kept already takes no notice of the second time.
        await withTaskCancellationHandler {
            try? await end.futureResult.get()
        } onCancel: {
            end.succeed()
        }
        timer.cancel()
    }
}

/// A clock that somebody turns.
package protocol ManualTime: AnyObject, Sendable {
    /// The time now, on the scale of deadlines.
    var now: NIODeadline { get }

    /// Lets something happen on an event loop when the clock is turned to a time.
    ///
    /// - Returns: What takes it back.
    func schedule(
        at deadline: NIODeadline,
        on eventLoop: any EventLoop,
        _ action: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void
}

/// Something that will happen, and can be taken back.
package struct EngineTimer: Sendable {
    var scheduled: Scheduled<Void>?
    var cancellation: (@Sendable () -> Void)?

    package func cancel() {
        self.scheduled?.cancel()
        self.cancellation?()
    }
}
