// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Limits of the system on connections.
extension PoolState {
    /// Retires the connection that has been idle longest, of all lanes.
    ///
    /// - Returns: The connection, to be closed; nil if none is idle.
    mutating func retireOldestIdle() -> Connection? {
        guard let slot = self.oldestIdle() else { return nil }
        self.retire(slot)
        return slot.connection
    }
}

extension PoolState.Rules {
    /// Creates the rules for the options of an engine.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - descriptorLimit: The number of file descriptors that the process may open. Connections take half of them at
    ///     most: the rest is for the program, and for the files that the engine opens.
    init(_ options: NIOTransport.PoolOptions, descriptorLimit: Int) {
        self.init(
            maximumPerKey: options.maximumConnectionsPerOrigin,
            maximumTotal: Swift.max(1, Swift.min(options.maximumConnections, descriptorLimit / 2)),
            idleTimeout: TimeAmount(options.idleTimeout),
            maximumAge: options.maximumAge.map { TimeAmount($0) },
            maximumUses: options.maximumUses ?? .max,
            maximumPipelineDepth: options.maximumPipelineDepth,
            backoff: options.connectBackoff
        )
    }
}
