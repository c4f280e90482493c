// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

extension NIOTransport.Configuration {
    /// For a server on this machine, whatever the environment says of proxies.
    static var loopback: NIOTransport.Configuration {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .none
        return configuration
    }
}
