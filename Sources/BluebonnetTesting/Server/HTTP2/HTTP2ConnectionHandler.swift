// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP2
import NIOSSL

/// The last handler of an HTTP/2 connection: reports a client's errors to the test.
final class HTTP2ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let wire: WireHandler
    private let state: ObservedState<ServerState>

    init(wire: WireHandler, state: ObservedState<ServerState>) {
        self.wire = wire
        self.state = state
    }

    // The protocol handler processes the connection's own frames, including acknowledgements.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A stream that ends early is not an error of the connection.
        if error is NIOHTTP2Errors.StreamClosed || error is NIOHTTP2Errors.NoSuchStream { return }
        // A write of the script after the client has closed the connection.
        if error is NIOHTTP2Errors.IOOnClosedConnection { return self.wire.drop() }
        // A connection that is closed after a scripted GOAWAY sends another one, which must not name a later stream.
        if error is NIOHTTP2Errors.RaisedGoawayLastStreamID { return }
        if !(error is IOError), !(error is ChannelError), !(error is NIOSSLError), !(error is BoringSSLError) {
            self.state.update {
                $0.fail(TestServerError(.malformedRequest, reason: "a client broke the rules of HTTP/2: \(error)"))
            }
        }
        self.wire.drop()
    }
}
