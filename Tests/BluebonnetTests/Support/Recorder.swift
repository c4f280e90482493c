// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps what happened, in its order.
final class Recorder<Element: Sendable>: Sendable {
    private let state = Mutex<[Element]>([])

    var elements: [Element] { self.state.withLock { $0 } }

    /// Keeps an element; returns how many there are with it.
    @discardableResult func record(_ element: Element) -> Int {
        self.state.withLock { elements in
            elements.append(element)
            return elements.count
        }
    }
}
