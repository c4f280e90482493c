// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport

extension Session.Configuration {
    /// The limits of every request without its own.
    var sessionTimeouts: Timeouts { self.timeouts.replaced(by: self.transportOptions.timeouts) }

    /// The limits on the phases of a request, before those of its options are applied.
    func timeouts(of request: Request) -> Timeouts {
        self.sessionTimeouts.replaced(by: request.transportTimeouts)
    }
}

extension Request {
    /// The request's own limits; nil for those of the session.
    var transportTimeouts: Timeouts? {
        // Most requests have no context, and a lookup in one costs more than this check.
        self.context.isEmpty ? nil : self.context[TransportOptions.self]?.timeouts
    }

    /// The request's own limit on the whole call; nil for that of the session.
    var ownTotalTimeout: Duration? { self.options.totalTimeout ?? self.transportTimeouts?.total }
}

extension Timeouts {
    /// Replaces these limits by others; a nil total limit keeps this one.
    func replaced(by other: Timeouts?) -> Timeouts {
        guard var other else { return self }
        other.total = other.total ?? self.total
        return other
    }
}
