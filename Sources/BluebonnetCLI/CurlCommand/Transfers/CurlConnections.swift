// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport

/// What the transfers between two `--next` share: the connections, and the cookies.
struct CurlConnections {
    /// The connections; nil before the first of several transfers, and for a single one.
    private(set) var transport: NIOTransport?

    /// The cookies that there are; nil where none are kept.
    var cookies: CookieJar?

    private let isShared: Bool

    /// - Parameter count: The number of transfers.
    init(count: Int) { self.isShared = count > 1 }

    /// Makes a plan use the connections.
    ///
    /// All plans connect in the same way, because they have the same options.
    mutating func join(_ plan: inout RequestPlan) {
        guard self.isShared, plan.sends else { return }
        let transport = self.transport ?? NIOTransport(configuration: plan.transport)
        self.transport = transport
        plan.connections = transport
    }

    /// Closes the connections.
    func close() async { await self.transport?.shutdown() }
}
