// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The bytes of a request as HTTP/1.1 sends them, for whoever wants to see them without sending anything.
package enum HTTP1WireImage {
    /// How many bytes of a body of unknown length make a chunk.
    package static var chunkSize: Int { RequestBodySource.readSize }

    /// The head: request line, header fields and the empty line.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - configuration: How the engine would send it; what a proxy is asked before it opens a tunnel is not part of the request.
    /// - Returns: The bytes.
    /// - Throws: ``TransportError/Code/invalidRequest`` for a request that would be refused.
    package static func head(
        of request: TransportRequest,
        over configuration: NIOTransport.Configuration
    ) throws(TransportError) -> [UInt8] {
        try request.validate()
        var buffer = ByteBuffer()
        let forwarder = try Router(configuration).route(for: request).forwarder
        var authorization: ProxyAuthorization?
        if let forwarder { authorization = try ProxyAuthenticator().authorization(for: request, to: forwarder) }
        _ = HTTP1RequestEncoder.write(
            request,
            framing: request.framing,
            forwarder: forwarder,
            authorization: authorization,
            into: &buffer
        )
        return Array(buffer.readableBytesView)
    }
}
