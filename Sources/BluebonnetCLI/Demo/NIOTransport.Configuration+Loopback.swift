// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

extension NIOTransport.Configuration {
    /// A configuration for a server on this machine, which ignores the proxies of the environment.
    static var loopback: NIOTransport.Configuration {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        return configuration
    }
}
