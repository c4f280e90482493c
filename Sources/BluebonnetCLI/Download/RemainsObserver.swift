// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import HTTPTypes
import Synchronization

/// An observer that remembers what is left of a download: a cancellation has no error that could say it.
final class RemainsObserver: SessionObserver {
    private struct State {
        var last: DownloadRemains?
        var isResumable = false
    }

    private let state = Mutex(State())

    /// What is left of the last download; nil if nothing is.
    var last: DownloadRemains? { self.state.withLock { $0.last } }

    /// Whether the last response has a strong entity tag, without which a download cannot be continued (RFC 9110
    /// section 13.1.5).
    var isResumable: Bool { self.state.withLock { $0.isResumable } }

    func observe(_ event: CallEvent, of call: Call) {
        switch event {
        case .responseReceived(_, let headers, _):
            let isResumable = Self.hasStrongTag(headers)
            self.state.withLock { $0.isResumable = isResumable }
        case .download(.kept(let remains)): self.state.withLock { $0.last = remains }
        default: break
        }
    }

    private static func hasStrongTag(_ headers: HTTPFields) -> Bool {
        let tags = headers[values: .eTag]
        // A weak one begins with “W/”.
        return tags.count == 1 && tags[0].starts(withScalars: "\"")
    }
}
