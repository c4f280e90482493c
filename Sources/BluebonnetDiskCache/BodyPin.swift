// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// Protects a large body from the need for room while this process reads it; ``BodyLock`` protects it from other processes.
///
/// Pins are shared by all stores of the process, several of which may use one folder: the identifier of an entry is unique.
final class BodyPin: Sendable {
    /// One identifier for each reader, the oldest reader first.
    private static let pins = Mutex<[UUID]>([])

    private let id: UUID
    private let isEnded = Atomic(false)

    init(_ id: UUID) {
        self.id = id
        Self.pins.withLock { $0.append(id) }
    }

    deinit { self.end() }

    /// Removes the protection, once.
    ///
    /// - Returns: Whether this is the first call.
    @discardableResult
    func end() -> Bool {
        guard !self.isEnded.exchange(true, ordering: .relaxed) else { return false }
        Self.pins.withLock { pins in
            if let index = pins.firstIndex(of: self.id) { pins.remove(at: index) }
        }
        return true
    }

    /// The bodies that are being read, the one whose reader is oldest first.
    ///
    /// The lock may be taken while that of a database is held.
    static var all: [UUID] {
        var known: Set<UUID> = []
        return self.pins.withLock { $0 }.filter { known.insert($0).inserted }
    }
}
