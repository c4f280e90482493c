// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Says on standard error which fields of the request a redirect to another origin has removed.
///
/// Credentials, cookies and Host are not named: everybody expects those to stay, and fields about a body go with it.
final class RedirectNotes: SessionObserver {
    private let request: Request
    private let console: Console
    private let hasReported = Mutex(false)

    init(request: Request, console: Console) {
        self.request = request
        self.console = console
    }

    func observe(_ event: CallEvent, of call: Call) {
        guard case .redirected(let following) = event, Self.origin(following) != Self.origin(self.request) else {
            return
        }
        let removed = self.request.headers.filter { !Self.isExpected($0.name) && !following.headers.contains($0.name) }
        let isKnown = self.hasReported.withLock { hasReported in
            defer { hasReported = hasReported || !removed.isEmpty }
            return hasReported
        }
        if removed.isEmpty || isKnown { return }
        let names = removed.map(\.name.rawName).joined(separator: ", ")
        self.console.report("note", "these fields are not sent to another origin, to which a redirect leads: \(names)")
    }

    private static func origin(_ request: Request) -> Origin? { try? Origin(request.url) }

    private static func isExpected(_ name: HTTPField.Name) -> Bool {
        ["authorization", "cookie", "host"].contains(name.canonicalName)
            || name.canonicalName.starts(withScalars: "content-")
    }
}
