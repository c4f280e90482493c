// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL
import NIOTLS

/// The TLS side of a connection: the handler that encrypts, and the event that says it is ready.
enum TLSHandshake {
    /// A handler for a connection to this host.
    ///
    /// An IP address may not be sent as a server name (RFC 6066 section 3); the certificate is then checked against the address that was
    /// connected to.
    static func handler(context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }

    /// Whether an event of the pipeline says that the handshake is complete and the peer verified.
    static func isCompleted(_ event: Any) -> Bool {
        if case .handshakeCompleted? = event as? TLSUserEvent { true } else { false }
    }
}
