// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Synchronization

/// An observer that remembers what is left of a download: a cancellation has no error that could say it.
final class RemainsObserver: SessionObserver {
    private let state = Mutex<DownloadRemains?>(nil)

    /// What is left of the last download; nil if nothing is.
    var last: DownloadRemains? { self.state.withLock { $0 } }

    func observe(_ event: SessionEvent, of call: Call) {
        guard case .download(.kept(let remains)) = event else { return }
        self.state.withLock { $0 = remains }
    }
}
