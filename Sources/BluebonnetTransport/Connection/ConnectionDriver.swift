// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The HTTP implementation of one connection, on its event loop; there is one for each version of the protocol.
///
/// Other threads call it through ``PooledConnection``.
protocol ConnectionDriver: AnyObject {
    /// Whether an exchange can be started.
    var isUsable: Bool { get }

    /// How many exchanges it carries at a time, as far as its peer has announced so far.
    var capacity: Int { get }

    /// Whether its peer has announced that number; until then it is an estimate.
    var isCapacityKnown: Bool { get }

    /// Starts an exchange for which the pool has leased the connection.
    func start(_ exchange: Exchange)

    /// Cancels an exchange, if it is still in progress on this connection.
    func cancel(_ exchange: Exchange)

    /// Resumes reading the response of an exchange, if it is still in progress on this connection.
    func resumeReading(_ exchange: Exchange)

    /// Closes the connection; exchanges in progress fail.
    func shutDown()
}
