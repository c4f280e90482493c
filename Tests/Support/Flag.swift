// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Says whether something has happened, to every thread.
public final class Flag: Sendable {
    private let value = Atomic(false)

    public init() {}

    public var isRaised: Bool { self.value.load(ordering: .acquiring) }

    public func raise() { self.value.store(true, ordering: .releasing) }

    public func lower() { self.value.store(false, ordering: .releasing) }
}
