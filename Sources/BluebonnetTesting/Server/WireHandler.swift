// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Asks a connection to close at once.
struct ShutdownEvent: Sendable {}

/// The handler next to the socket: counts the connection, and can close it without TLS noticing.
final class WireHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The number of the connection, from 1; 0 before it is active.
    private(set) var connectionID = 0
    /// The number of requests received on it.
    var requestCount = 0
    /// Whether it uses TLS.
    var isSecure = false
    /// The client's certificate in DER, if it has presented one.
    var clientCertificate: [UInt8]?

    private var context: ChannelHandlerContext?
    private let state: ObservedState<ServerState>
    private let effect: TestServer.ConnectionEffect?

    init(state: ObservedState<ServerState>, effect: TestServer.ConnectionEffect?) {
        self.state = state
        self.effect = effect
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        let (id, isShutDown) = self.state.update { state in
            state.connections.total += 1
            state.connections.open += 1
            state.channels[state.connections.total] = channel
            return (state.connections.total, state.isShutDown)
        }
        self.connectionID = id
        context.fireChannelActive()
        if isShutDown || self.effect == .close { self.drop() }
        if self.effect == .reset { self.reset() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The interrupted request is recorded before the connection is counted as closed.
        context.fireChannelInactive()
        let id = self.connectionID
        self.state.update { state in
            state.connections.open -= 1
            state.channels[id] = nil
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A silent connection has no handlers to read the data.
        if self.effect == nil { context.fireChannelRead(data) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.effect == nil { context.fireErrorCaught(error) } else { self.drop() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        if event is ShutdownEvent { self.drop() }
    }

    /// Closes the connection from the top of its pipeline: GOAWAY of HTTP/2 and close_notify of TLS are sent first.
    func closeTop() {
        self.context?.channel.close(mode: .all, promise: nil)
    }

    /// Closes the socket without close_notify of TLS.
    func drop() {
        self.context?.close(mode: .all, promise: nil)
    }

    /// Closes the socket so that the peer's next read fails with a reset.
    func reset() {
        guard let context else { return }
        // With a linger time of zero the system sends RST and discards unsent bytes.
        guard let provider = context.channel as? any SocketOptionProvider else { return self.drop() }
        provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in self.drop() }
    }
}
