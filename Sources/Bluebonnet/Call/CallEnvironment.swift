// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// What all calls of a session share, in one reference: a call is made for each request.
final class CallEnvironment: Sendable {
    /// The clock of deadlines and delays.
    let clock: SessionClock

    /// How much a server may make the stages hold, read or repeat.
    let limits: Session.Limits

    /// Receive the events of the calls.
    let observers: [any SessionObserver]

    /// Admits the calls of the session, and identifies it; nil in a test of one interceptor.
    let admission: Admission?

    /// The origin that the session's secrets are meant for; nil for every origin.
    let home: Origin?

    init(
        clock: SessionClock = .system,
        limits: Session.Limits = Session.Limits(),
        observers: [any SessionObserver] = [],
        admission: Admission? = nil,
        home: Origin? = nil
    ) {
        self.clock = clock
        self.limits = limits
        self.observers = observers
        self.admission = admission
        self.home = home
    }

    /// The same for calls that nobody asked for, which observers are not told about.
    func withoutObservers() -> CallEnvironment {
        CallEnvironment(clock: self.clock, limits: self.limits, admission: self.admission, home: self.home)
    }
}
