// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP2
import NIOSSL

/// The end of an HTTP/2 connection's pipeline: says to the test what a client did wrong.
final class HTTP2ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    private let wire: WireHandler
    private let state: ObservedState<ServerState>

    init(wire: WireHandler, state: ObservedState<ServerState>) {
        self.wire = wire
        self.state = state
    }

    // Frames of the connection itself, acknowledgements among them, are the protocol handler's.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A stream that ends early is its own affair.
        if error is NIOHTTP2Errors.StreamClosed || error is NIOHTTP2Errors.NoSuchStream { return }
        // What the script has still to say when the client has gone.
        if error is NIOHTTP2Errors.IOOnClosedConnection { return self.wire.drop() }
        // A connection that is closed after a GOAWAY of the script sends another one, which may not name a later stream.
        if error is NIOHTTP2Errors.RaisedGoawayLastStreamID { return }
        if !(error is IOError), !(error is ChannelError), !(error is NIOSSLError), !(error is BoringSSLError) {
            self.state.update {
                $0.fail(TestServerError(.malformedRequest, reason: "a client broke the rules of HTTP/2: \(error)"))
            }
        }
        self.wire.drop()
    }
}
