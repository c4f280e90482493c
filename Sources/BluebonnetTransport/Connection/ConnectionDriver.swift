// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What speaks HTTP on one connection, on its event loop: one per version of the protocol.
///
/// Other threads come in through ``PooledConnection``.
protocol ConnectionDriver: AnyObject {
    /// Whether an exchange can be started.
    var isUsable: Bool { get }

    /// How many exchanges it carries at a time, as far as its peer has said by now.
    var capacity: Int { get }

    /// Starts an exchange that the pool has lent the connection to.
    func start(_ exchange: Exchange)

    /// Ends an exchange early, if it is still under way here.
    func cancel(_ exchange: Exchange)

    /// Goes on reading the response of an exchange, if it is still under way here.
    func resumeReading(_ exchange: Exchange)

    /// Closes the connection; exchanges that are under way fail.
    func shutDown()
}
