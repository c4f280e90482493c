// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Receives the events of every exchange of an engine as they happen; it cannot change anything.
///
/// It is called on event loops, and for the first and some last events on the callers' tasks: it must be fast, must not
/// block, and must not wait for the engine. The events of one exchange arrive one after another, in the order of
/// ``TransportEvent``; those of different exchanges may arrive concurrently.
public protocol TransportObserver: Sendable {
    /// Receives an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - exchange: The exchange it belongs to.
    func observe(_ event: TransportEvent, of exchange: ExchangeID)
}

/// Identifies an exchange within the process.
public struct ExchangeID: Hashable, Sendable, CustomStringConvertible {
    /// The number of the exchange, counted from 1.
    public let number: UInt64

    /// A number sign followed by the number.
    public var description: String { "#\(self.number)" }
}
