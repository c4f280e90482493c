// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Is told what happens to every exchange of an engine, as it happens; it cannot change anything.
///
/// Called on event loops, and on the tasks of callers for the first event and for some last ones: it must be fast, must not block, and
/// must not wait for the engine. The events of one exchange come one after the other, in the order of ``TransportEvent``; those of
/// different exchanges come side by side.
public protocol TransportObserver: Sendable {
    /// Something happened.
    ///
    /// - Parameters:
    ///   - event: What.
    ///   - exchange: To which exchange.
    func observe(_ event: TransportEvent, of exchange: ExchangeID)
}

/// Tells the exchanges of a process apart.
public struct ExchangeID: Hashable, Sendable, CustomStringConvertible {
    /// A number, counted from 1.
    public let number: UInt64

    /// A number sign and the number.
    public var description: String { "#\(self.number)" }
}
