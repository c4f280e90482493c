// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes
import NIOCore

/// The Keep-Alive field (RFC 2068 section 19.7.1.1), in which a server announces how long it keeps an idle connection.
enum KeepAlive {
    /// Returns how long a connection may be idle so that the next request arrives before the server closes it.
    ///
    /// The server's time has begun before the response arrived, and ends before a request that is sent later arrives: a
    /// second is left for both, or half of a shorter time.
    ///
    /// - Parameter value: The value of the field, such as `timeout=5, max=100`.
    /// - Returns: The limit; nil if the field has none. A timeout beyond 30 years counts as 30 years.
    static func idleLimit(_ value: String) -> TimeAmount? {
        for element in value.listElements {
            let parts = element.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, Substring(parts[0]).isASCIIWord("timeout"),
                let seconds = parts[1].decimalNumber(clampedTo: Int64(1_000_000_000))
            else { continue }
            let timeout = TimeAmount.seconds(seconds)
            return timeout - Swift.min(.seconds(1), .nanoseconds(timeout.nanoseconds / 2))
        }
        return nil
    }
}

extension HTTPField.Name {
    /// Keep-Alive; not among the names of the library, because HTTP/2 forbids it.
    static let keepAlive = HTTPField.Name("Keep-Alive") ?? .connection
}
