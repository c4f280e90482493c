// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport

extension Session.Configuration {
    /// The limits of every request that has none of its own.
    var sessionTimeouts: Timeouts { self.timeouts.replaced(by: self.transportOptions.timeouts) }

    /// The limits on the phases of a request, before those of its options are applied.
    func timeouts(of request: Request) -> Timeouts {
        self.sessionTimeouts.replaced(by: request.transportTimeouts)
    }

    /// The limit on a whole call.
    func totalTimeout(of request: Request) -> Duration? {
        request.options.totalTimeout ?? self.timeouts(of: request).total
    }
}

extension Request {
    /// The limits that the request brings; nil for those of the session.
    var transportTimeouts: Timeouts? {
        // Most requests have no context, and looking into one costs more than this.
        self.context.isEmpty ? nil : self.context[TransportOptions.self]?.timeouts
    }

    /// The limit on everything that the request brings; nil for that of the session.
    var ownTotalTimeout: Duration? { self.options.totalTimeout ?? self.transportTimeouts?.total }
}

extension Timeouts {
    /// Other limits in place of these; a total limit that is nil leaves this one.
    func replaced(by other: Timeouts?) -> Timeouts {
        guard var other else { return self }
        other.total = other.total ?? self.total
        return other
    }
}
