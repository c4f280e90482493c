// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The bytes of a request in HTTP/1.1, for display without sending anything.
package enum HTTP1WireImage {
    /// The chunk size for a body of unknown length, in bytes.
    package static var chunkSize: Int { RequestBodySource.readSize }

    /// Returns the head: request line, header fields and the empty line.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - configuration: The configuration of the engine; a CONNECT request to a proxy is not included.
    /// - Returns: The bytes.
    /// - Throws: ``TransportError/Code/invalidRequest`` if the engine would refuse the request.
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
            expectsContinue: request.framing.hasBody && request.continueTimeout != nil,
            into: &buffer
        )
        return Array(buffer.readableBytesView)
    }
}
