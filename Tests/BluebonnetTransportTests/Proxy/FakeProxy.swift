// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

@testable import BluebonnetTransport

/// An HTTP proxy for the user `ada` with the password `secret`, which checks each answer by itself: it opens tunnels, and answers what it
/// should forward.
final class FakeProxy: Sendable {
    enum Proof: Sendable { case none, right, wrong }

    struct Options: Sendable {
        var challenges = ["Digest"]
        /// What Digest has to cover: `auth`, or `auth-int` for the body as well.
        var quality = "auth"
        /// Whether a connection is kept after a 407.
        var keepsConnection = true
        /// Whether a connection that was said to be kept is closed when it is used again.
        var breaksPromise = false
        /// The body of a 407, and whether it comes in chunks.
        var byteCount = 20
        var isChunked = false
        /// How many right answers are called stale.
        var staleCount = 0
        var proof = Proof.none
        var nextNonce: String?
        var fields = ""
    }

    /// One request.
    struct Seen: Sendable {
        var connection: Int
        var target: String
        /// The scheme of the credentials, with the count of the nonce; nil without credentials.
        var credentials: String?
        var isAccepted: Bool
        var text: String
    }

    struct State {
        var seen: [Seen] = []
        var connections = 0
        var nonces = 0
        var stale: Int
        /// The counts that were used of each nonce.
        var counts: [String: Set<String>] = [:]
    }

    let port: Int
    fileprivate let options: Options
    fileprivate let destination: Int
    fileprivate let state: Mutex<State>
    private let listener: any Channel

    /// Runs a proxy for as long as a piece of code takes.
    ///
    /// - Parameters:
    ///   - options: What it does.
    ///   - tls: How it speaks TLS; not at all unless given.
    ///   - destination: The port on loopback that every tunnel leads to.
    ///   - body: What to do with it.
    /// - Throws: What `body` throws.
    static func run(
        _ options: Options,
        tls: NIOSSLContext? = nil,
        to destination: Int = 0,
        _ body: (FakeProxy) async throws -> Void
    ) async throws {
        let box = Box()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    guard let proxy = box.proxy.withLock({ $0 }) else { return }
                    try channel.pipeline.syncOperations.addHandler(FakeProxyHandler(proxy))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let proxy = FakeProxy(options, destination, listener)
        box.proxy.withLock { $0 = proxy }
        let result: Result<Void, any Error>
        do { result = .success(try await body(proxy)) } catch { result = .failure(error) }
        try await listener.close()
        box.proxy.withLock { $0 = nil }
        try result.get()
    }

    private final class Box: Sendable { let proxy = Mutex<FakeProxy?>(nil) }

    private init(_ options: Options, _ destination: Int, _ listener: any Channel) {
        self.options = options
        self.destination = destination
        self.listener = listener
        self.port = listener.localAddress?.port ?? 0
        self.state = Mutex(State(stale: options.staleCount))
    }

    /// The requests, in their order.
    var seen: [Seen] { self.state.withLock { $0.seen } }

    /// The credentials of each request.
    var credentials: [String?] { self.seen.map(\.credentials) }

    /// The connections that brought a request.
    var connectionCount: Int { Set(self.seen.map(\.connection)).count }

    // MARK: Checking

    fileprivate enum Verdict {
        case accepted(info: String)
        case refused(isStale: Bool)
    }

    fileprivate func judge(_ head: [Substring], _ body: String, connection: Int, _ text: String) -> Verdict {
        let words = head[0].split(separator: " ")
        let (method, target) = (String(words[0]), String(words[1]))
        let value = head.first { $0.lowercased().hasPrefix("proxy-authorization: ") }?.dropFirst(21)
        return self.state.withLock { state in
            let (verdict, credentials) = self.judge(value.map { String($0) }, method, target, body, &state)
            var isAccepted = false
            if case .accepted = verdict { isAccepted = true }
            state.seen.append(
                Seen(
                    connection: connection,
                    target: target,
                    credentials: credentials,
                    isAccepted: isAccepted,
                    text: text
                )
            )
            return verdict
        }
    }

    private func judge(
        _ value: String?,
        _ method: String,
        _ target: String,
        _ body: String,
        _ state: inout State
    ) -> (Verdict, String?) {
        guard let value else { return (.refused(isStale: false), nil) }
        if value.hasPrefix("Basic ") {
            let isRight = value == "Basic YWRhOnNlY3JldA==" && self.options.challenges.contains("Basic")
            return (isRight ? .accepted(info: "") : .refused(isStale: false), "Basic")
        }
        var fields = HTTPFields()
        fields[.proxyAuthorization] = value
        guard let given = HTTPChallenge.challenges(in: fields, .proxyAuthorization).first, given.scheme == .digest,
            let nonce = given["nonce"], let count = given["nc"], let clientNonce = given["cnonce"]
        else { return (.refused(isStale: false), "?") }
        func hash(_ text: String) -> String { DigestAlgorithm.md5.digest(text) }
        let key = hash("ada:fake:secret")
        let quality = self.options.quality
        func proof(_ second: String) -> String {
            hash("\(key):\(nonce):\(count):\(clientNonce):\(quality):\(hash(second))")
        }
        let covered = "\(method):\(target)" + (quality == "auth-int" ? ":\(hash(body))" : "")
        let name = "Digest \(Int(count, radix: 16) ?? 0)"
        guard given["uri"] == target, given["response"] == proof(covered), given["qop"] == quality,
            self.options.challenges.contains("Digest")
        else { return (.refused(isStale: false), name) }
        // Each count of a nonce is good for one request.
        guard state.counts[nonce]?.insert(count).inserted == true, state.stale == 0 else {
            state.stale = max(state.stale - 1, 0)
            return (.refused(isStale: true), name)
        }
        var info: [String] = []
        if self.options.proof != .none {
            let text = proof(self.options.proof == .right ? ":\(target)" : ":\(target)x")
            info += ["qop=auth", "rspauth=\"\(text)\"", "cnonce=\"\(clientNonce)\"", "nc=\(count)"]
        }
        if let next = self.options.nextNonce {
            info.append("nextnonce=\"\(next)\"")
            if state.counts[next] == nil { state.counts[next] = [] }
        }
        let field = info.isEmpty ? "" : "Proxy-Authentication-Info: \(info.joined(separator: ", "))\r\n"
        return (.accepted(info: field), name)
    }

    /// A 407 with a nonce of its own.
    fileprivate func challenge(isStale: Bool) -> String {
        let nonce = self.state.withLock { state in
            state.nonces += 1
            state.counts["nonce\(state.nonces)"] = []
            return "nonce\(state.nonces)"
        }
        var text = "HTTP/1.1 407 Proxy Authentication Required\r\n\(self.options.fields)"
        for scheme in self.options.challenges {
            text += "Proxy-Authenticate: \(scheme) realm=\"fake\""
            if scheme == "Digest" {
                text += ", nonce=\"\(nonce)\", qop=\"\(self.options.quality)\"\(isStale ? ", stale=true" : "")"
            }
            text += "\r\n"
        }
        if !self.options.keepsConnection { text += "Connection: close\r\n" }
        let body = String(repeating: "x", count: self.options.byteCount)
        if self.options.isChunked {
            return text + "Transfer-Encoding: chunked\r\n\r\n"
                + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
        }
        return text + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
    }

    fileprivate func nextConnection() -> Int {
        self.state.withLock { state in
            state.connections += 1
            return state.connections
        }
    }
}

private final class FakeProxyHandler: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: FakeProxy
    private let connection: Int
    private var inbound = ByteBuffer()
    private var upstream: (any Channel)?
    private var isTunnel = false
    private var isRefused = false

    init(_ proxy: FakeProxy) {
        self.proxy = proxy
        self.connection = proxy.nextConnection()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        self.inbound.writeBuffer(&bytes)
        if self.isTunnel { return self.pass() }
        if self.isRefused, self.proxy.options.breaksPromise { return context.close(promise: nil) }
        while !self.isTunnel, let end = self.inbound.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) {
            let text = String(decoding: self.inbound.readableBytesView[..<end.upperBound], as: UTF8.self)
            let head = text.split(separator: "\r\n")
            let length =
                head.first { $0.lowercased().hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
            guard self.inbound.writerIndex - end.upperBound >= length else { return }
            let body = String(decoding: self.inbound.readableBytesView[end.upperBound...].prefix(length), as: UTF8.self)
            self.inbound.moveReaderIndex(to: end.upperBound + length)
            self.answer(head, body, text, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.upstream?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ head: [Substring], _ body: String, _ text: String, _ context: ChannelHandlerContext) {
        switch self.proxy.judge(head, body, connection: self.connection, text) {
        case .refused(let isStale):
            self.isRefused = true
            self.send(self.proxy.challenge(isStale: isStale), context)
            if !self.proxy.options.keepsConnection { context.close(mode: .output, promise: nil) }
        case .accepted(let info):
            if text.hasPrefix("CONNECT ") {
                self.isTunnel = true
                self.connect("HTTP/1.1 200 OK\r\n\(info)\r\n", context)
            } else {
                self.send("HTTP/1.1 200 OK\r\n\(info)Content-Length: 9\r\n\r\nforwarded", context)
            }
        }
    }

    private func send(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    private func connect(_ head: String, _ context: ChannelHandlerContext) {
        let client = context.channel
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { $0.pipeline.addHandler(RelayHandler(to: client)) }
            .connect(host: "127.0.0.1", port: self.proxy.destination)
            .whenComplete { result in
                guard case .success(let upstream) = result else { return client.close(promise: nil) }
                self.upstream = upstream
                client.writeAndFlush(ByteBuffer(string: head), promise: nil)
                self.pass()
            }
    }

    private func pass() {
        guard let upstream, self.inbound.readableBytes > 0 else { return }
        upstream.writeAndFlush(self.inbound, promise: nil)
        self.inbound.clear()
    }
}
