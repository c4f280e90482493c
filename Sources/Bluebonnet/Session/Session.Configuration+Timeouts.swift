// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport

extension Session.Configuration {
    /// The limits of every request that has none of its own.
    ///
    /// ``TransportOptions/timeouts`` go first; if they have no total limit, that of ``timeouts`` holds.
    var sessionTimeouts: Timeouts {
        guard var timeouts = self.transportOptions.timeouts else { return self.timeouts }
        timeouts.total = timeouts.total ?? self.timeouts.total
        return timeouts
    }

    /// The limits on the phases of a request, before those of its options are applied.
    func timeouts(of request: Request) -> Timeouts {
        let session = self.sessionTimeouts
        guard !request.context.isEmpty, var timeouts = request.context[TransportOptions.self]?.timeouts else {
            return session
        }
        timeouts.total = timeouts.total ?? session.total
        return timeouts
    }

    /// The limit on a whole call.
    func totalTimeout(of request: Request) -> Duration? {
        request.options.totalTimeout ?? self.timeouts(of: request).total
    }
}
