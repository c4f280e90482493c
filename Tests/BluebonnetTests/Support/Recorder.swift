// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps what happened, in its order.
final class Recorder<Element: Sendable>: Sendable {
    private let state = Mutex<[Element]>([])

    var elements: [Element] { self.state.withLock { $0 } }

    func record(_ element: Element) {
        self.state.withLock { $0.append(element) }
    }
}
