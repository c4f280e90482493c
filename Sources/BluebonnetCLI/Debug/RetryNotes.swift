// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet

/// Says on standard error why a request is sent again.
struct RetryNotes: SessionObserver {
    let console: Console
    /// The number of attempts before the first of the session's.
    var earlierCount = 0

    func observe(_ event: CallEvent, of call: Call) {
        guard case .retryScheduled(let failed) = event else { return }
        let reason = failed.error?.reason ?? failed.status.map { "HTTP \($0.text)" } ?? "it failed"
        let wait = ByteText.span(failed.delay)
        self.console.report("note", "attempt \(self.earlierCount + failed.number): \(reason); once more in \(wait)")
    }
}
