// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import NIOCore
import Synchronization

/// Owns a connection after its upgrade until a caller takes it over; closes it if none has.
///
/// A response passes through many hands that may drop it: a validation refuses it, another attempt wins, the caller's
/// time is over. The event loop keeps an open channel alive, so nothing else would close this one.
package final class UpgradedConnection: Sendable {
    private let channel: any Channel
    private let isTaken = Atomic(false)

    init(_ channel: any Channel) {
        self.channel = channel
    }

    /// Hands the channel over to a caller, who must close it.
    package func take() -> any Channel {
        self.isTaken.store(true, ordering: .relaxed)
        return self.channel
    }

    deinit {
        // A channel that has closed may have outlived its event loop, which takes no more tasks.
        guard !self.isTaken.load(ordering: .relaxed), self.channel.isActive else { return }
        self.channel.close(promise: nil)
    }
}
