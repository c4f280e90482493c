// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import NIOCore

/// Resolves every name to the same addresses.
struct FixedResolver: NameResolver {
    var addresses: [String]

    func addresses(of host: String, port: Int) async throws -> [SocketAddress] {
        try self.addresses.map { try SocketAddress(ipAddress: $0, port: port) }
    }
}
