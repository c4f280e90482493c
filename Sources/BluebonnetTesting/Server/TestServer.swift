// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// An HTTP server for tests, on loopback and a port chosen by the system.
///
/// It supports HTTP/1.1, and HTTP/2 if ``Configuration/http2`` is set. Responses come from three sources, in this
/// order: the script filled by ``enqueue(_:)``, handlers set with ``respond(to:with:)`` and ``respond(with:)``, and
/// built-in routes (`GET /` lists them). Every request is recorded for ``takeRequest(within:)``.
///
/// ```swift
/// try await TestServer.withServer { server in
///     server.enqueue(ScriptedResponse(status: .serviceUnavailable))
///     // … let the client send something to server.url, then look at what arrived:
///     let request = try await server.takeRequest()
/// }
/// ```
///
/// It accepts what a strict HTTP/1.1 parser accepts: a method that is not registered (RFC 9110 section 16.1) is refused
/// with status 501, and a request without a Host field or with several (RFC 9112 section 3.2) with status 400.
///
/// A server that is released without ``shutdown()`` closes its sockets by itself.
public final class TestServer: Sendable {
    /// Returns the response to a request, after the whole request has arrived; its task is cancelled when the connection
    /// ends, or the stream of HTTP/2.
    public typealias Handler = @Sendable (RecordedRequest) async throws -> ScriptedResponse

    /// The address it listens on: `127.0.0.1` or `::1`.
    public let host: String

    /// The port it listens on.
    public let port: Int

    /// Whether it uses TLS.
    public let isSecure: Bool

    /// The base of every URL of this server, without a trailing slash, for example `http://127.0.0.1:40123`.
    ///
    /// With TLS the host is `localhost`, so that a client has a name to verify.
    public let url: String

    /// ``url`` as a URL, for clients that take one.
    public let baseURL: URL

    /// The authority whose root a client must trust; it has signed the server's certificate unless ``TLS`` specifies
    /// another.
    public let certificateAuthority: CertificateAuthority

    let state: ObservedState<ServerState>
    private let listener: any Channel

    private init(
        listener: any Channel,
        port: Int,
        tls: TLS?,
        configuration: Configuration,
        authority: CertificateAuthority,
        state: ObservedState<ServerState>
    ) {
        self.listener = listener
        self.port = port
        self.host = configuration.address.rawValue
        self.isSecure = tls != nil
        self.certificateAuthority = authority
        self.state = state
        let name = tls != nil ? "localhost" : configuration.address.literal
        self.url = "\(tls != nil ? "https" : "http")://\(name):\(port)"
        guard let baseURL = URL(string: self.url) else { preconditionFailure("\(self.url) is not a URL") }
        self.baseURL = baseURL
    }

    deinit {
        Self.close(self.listener, self.state)
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - tls: The TLS options; plain HTTP unless given.
    ///   - configuration: The address and the limits.
    /// - Returns: A server that accepts connections.
    /// - Throws: ``TestServerError/Code/cannotListen``; the error of creating the certificate.
    public static func start(tls: TLS? = nil, configuration: Configuration = Configuration()) async throws -> TestServer
    {
        let authority = try tls?.authority ?? CertificateAuthority.shared()
        let context = try tls?.makeContext(authority: authority, speaksHTTP2: configuration.http2 != nil)
        let state = ObservedState(ServerState(), eventLoop: ServerLoops.group.any())
        var bootstrap = ServerBootstrap(group: ServerLoops.group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 16384, maximum: 262_144)
            )
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 512 * 1024, high: 2 * 1024 * 1024))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Self.configure(channel, context: context, configuration: configuration, state: state)
                }
            }
        let listener: any Channel
        if let byteCount = configuration.receiveBufferByteCount {
            bootstrap = bootstrap.serverChannelOption(.socketOption(.so_rcvbuf), value: .init(clamping: byteCount))
        }
        guard (0...65535).contains(configuration.port) else {
            throw TestServerError(
                .cannotListen,
                reason: "\(configuration.port) is not a port; take one from 0 to 65535"
            )
        }
        do {
            listener = try await bootstrap.bind(host: configuration.address.rawValue, port: configuration.port).get()
        } catch {
            let address = "\(configuration.address.literal):\(configuration.port)"
            throw TestServerError(
                .cannotListen,
                reason: "no socket could be opened on \(address): \(Self.explanation(of: error))",
                underlying: error
            )
        }
        return TestServer(
            listener: listener,
            port: listener.localAddress?.port ?? 0,
            tls: tls,
            configuration: configuration,
            authority: authority,
            state: state
        )
    }

    /// Runs a server for the duration of a closure.
    ///
    /// - Parameters:
    ///   - tls: The TLS options; plain HTTP unless given.
    ///   - configuration: The address and the limits.
    ///   - body: Receives the server.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of ``start(tls:configuration:)``; the first of ``takeFailures()`` if there is one, because
    ///   it is usually the cause of an error of `body`, which its reason then contains; otherwise the error of `body`.
    ///   `CancellationError` if `body` throws it. ``TestServerError/Code/unusedResponse`` at the end of a
    ///   ``Configuration/isStrict`` server.
    public static func withServer<Result>(
        tls: TLS? = nil,
        configuration: Configuration = Configuration(),
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let server = try await self.start(tls: tls, configuration: configuration)
        let result: Result
        do {
            result = try await body(server)
        } catch {
            await server.shutdown()
            guard !(error is CancellationError), var failure = server.takeFailures().first else { throw error }
            failure.reason += "; after that the test threw \(error)"
            throw failure
        }
        await server.shutdown()
        if let failure = server.takeFailures().first { throw failure }
        if configuration.isStrict { try server.checkScript() }
        return result
    }

    private static func explanation(of error: any Error) -> String {
        (error as? IOError).map { SystemError.text(of: $0.errnoCode) } ?? "\(error)"
    }

    /// Closes the listening socket and every connection, and waits until they are closed.
    ///
    /// Calling it again has no effect. It ignores cancellation, because it waits for no peer.
    public func shutdown() async {
        let closing = Self.close(self.listener, self.state)
        for channel in closing { try? await channel.closeFuture.get() }
        try? await self.listener.closeFuture.get()
    }

    @discardableResult
    private static func close(_ listener: any Channel, _ state: ObservedState<ServerState>) -> [any Channel] {
        let channels = state.update { state in
            state.isShutDown = true
            return Array(state.channels.values)
        }
        listener.close(promise: nil)
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ShutdownEvent()) }
        return channels
    }

    private static func configure(
        _ channel: any Channel,
        context: NIOSSLContext?,
        configuration: Configuration,
        state: ObservedState<ServerState>
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        let wire = WireHandler(state: state, effect: configuration.connectionEffect)
        try pipeline.addHandler(wire)
        if configuration.connectionEffect != nil { return }
        if let context {
            wire.isSecure = true
            try pipeline.addHandler(NIOSSLServerHandler(context: context))
            try pipeline.addHandler(SecurityHandler(wire: wire, state: state))
        }
        guard let http2 = configuration.http2 else {
            return try Self.speakHTTP1(on: channel, wire, configuration, state)
        }
        try pipeline.addHandler(
            PrefaceDetector { isHTTP2 in
                if isHTTP2 {
                    try Self.speakHTTP2(http2, on: channel, wire, configuration, state)
                } else {
                    try Self.speakHTTP1(on: channel, wire, configuration, state)
                }
            }
        )
    }

    private static func speakHTTP2(
        _ options: HTTP2,
        on channel: any Channel,
        _ wire: WireHandler,
        _ configuration: Configuration,
        _ state: ObservedState<ServerState>
    ) throws {
        let wire = NIOLoopBound(wire, eventLoop: channel.eventLoop)
        try options.configure(channel) { stream in
            let pipeline = stream.pipeline.syncOperations
            try pipeline.addHandler(HTTP2StreamDecoder())
            try pipeline.addHandler(
                ConnectionHandler(wire: wire.value, state: state, configuration: configuration, requestLines: nil)
            )
        }
        try channel.pipeline.syncOperations.addHandler(HTTP2ConnectionHandler(wire: wire.value, state: state))
    }

    private static func speakHTTP1(
        on channel: any Channel,
        _ wire: WireHandler,
        _ configuration: Configuration,
        _ state: ObservedState<ServerState>
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldCount = 10_000
        limits.maxHeaderFieldSize = 1024 * 1024
        let requestLines = RequestLineObserver()
        try pipeline.addHandler(requestLines)
        try pipeline.addHandler(
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits))
        )
        try pipeline.addHandler(
            ConnectionHandler(wire: wire, state: state, configuration: configuration, requestLines: requestLines)
        )
    }
}
