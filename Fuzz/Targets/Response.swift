// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization

@testable import BluebonnetTransport

/// Checks that no bytes from a server cause a trap, that every exchange ends once, and that limits hold.
///
/// The first byte selects the version, the method and the kind of response, the second one how the bytes are split; the
/// rest is what the server sends.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 2 else { return 0 }
    let bytes = UnsafeBufferPointer(start: start, count: count)
    let choice = Choice(bits: bytes[0], pieceSize: Int(bytes[1]))
    do { try run(choice, bytes.dropFirst(2)) } catch { preconditionFailure("an embedded channel failed: \(error)") }
    return 0
}

private struct Choice {
    let bits: UInt8
    let pieceSize: Int

    var isHTTP2: Bool { self.bits & 1 != 0 }
    var sendsSettings: Bool { self.bits & 2 != 0 }
    var method: HTTPRequest.Method { [.get, .head, .post, .options][Int(self.bits >> 2 & 3)] }
    var isStreamed: Bool { self.bits & 16 != 0 }
    var decodes: Bool { self.bits & 32 != 0 }
    /// Whether a request's body is larger than the windows of HTTP/2, so that the response may come before its end.
    var hasLargeBody: Bool { self.bits & 64 != 0 }
    var resumes: Bool { self.bits & 128 != 0 }
}

private let collectLimit = 100_000

private func run(_ choice: Choice, _ bytes: Slice<UnsafeBufferPointer<UInt8>>) throws {
    let loop = EmbeddedEventLoop()
    let configuration = NIOTransport.Configuration()
    let connector = Connector(configuration: configuration)
    let pool = ConnectionPool(connector: connector, configuration: configuration, eventLoops: EventLoops(loop))
    // A retry is refused instead of being sent to a real socket.
    pool.close(immediately: false)
    let channel = EmbeddedChannel(loop: loop)
    let stamps = ConnectionStamps(connectStarted: .now)
    let (handler, connection) = try connect(choice, channel, pool, stamps)
    let calls = try (0..<(choice.isHTTP2 ? 2 : 1)).map { _ in try Call(choice) }
    for call in calls { handler.start(call.exchange) }
    loop.run()
    if choice.isHTTP2, choice.sendsSettings {
        try channel.writeInbound(ByteBuffer(bytes: [0, 0, 0, 4, 0, 0, 0, 0, 0]))
    }

    var rest = bytes
    while !rest.isEmpty, channel.isActive {
        let piece = rest.prefix(choice.pieceSize == 0 ? rest.count : choice.pieceSize)
        rest = rest.dropFirst(piece.count)
        _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
        if choice.resumes { for call in calls { handler.resumeReading(call.exchange) } }
        loop.run()
    }
    for _ in 0..<200 where choice.resumes { for call in calls { handler.resumeReading(call.exchange) } }
    _ = try? channel.finish(acceptAlreadyClosed: true)
    loop.run()
    for call in calls { call.check() }
    withExtendedLifetime(connection) {}
}

private func connect(
    _ choice: Choice,
    _ channel: EmbeddedChannel,
    _ pool: ConnectionPool,
    _ stamps: ConnectionStamps
) throws -> (any ConnectionDriver, PooledConnection) {
    let key = PoolKey(origin: Call.origin)
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
    let limits = TransportLimits()
    if choice.isHTTP2 {
        let handler = HTTP2Handler(
            pool: pool,
            limits: limits,
            options: NIOTransport.HTTP2Options(),
            stamps: stamps
        )
        try channel.connect(to: address).wait()
        let driver = NIOLoopBound<any ConnectionDriver>(handler, eventLoop: channel.eventLoop)
        let connection = PooledConnection(key: key, channel: channel, driver: driver, isShared: true)
        handler.connection = connection
        try channel.pipeline.syncOperations.addHandler(handler)
        return (handler, connection)
    }
    let handler = HTTP1Handler(pool: pool, limits: limits, stamps: stamps)
    try channel.pipeline.syncOperations.addHandler(handler)
    try channel.connect(to: address).wait()
    let driver = NIOLoopBound<any ConnectionDriver>(handler, eventLoop: channel.eventLoop)
    let connection = PooledConnection(key: key, channel: channel, driver: driver)
    handler.connection = connection
    return (handler, connection)
}

/// An exchange, and a task that waits for its response.
private final class Call {
    static let origin = Origin(scheme: .http, host: "example.test")

    /// The state that the task and this thread share.
    private final class Desk: Sendable {
        let isWaiting = DispatchSemaphore(value: 0)
        let isAnswered = DispatchSemaphore(value: 0)
        let answer = Mutex<Result<TransportResponse, any Error>?>(nil)
        let informational = Mutex(0)
    }

    let exchange: Exchange
    private let desk = Desk()

    init(_ choice: Choice) throws {
        let desk = self.desk
        var request = TransportRequest(method: choice.method, origin: Self.origin, target: "/")
        request.responseMode = choice.isStreamed ? .streamed : .collected(upTo: collectLimit)
        request.decodesContent = choice.decodes
        request.timeouts.idle = nil
        // In memory and without trailers: what is read comes from another thread, and the loop is of this one alone.
        if choice.method == .post {
            request.body = .bytes(ByteBuffer(repeating: 0x78, count: choice.hasLargeBody ? 100_000 : 4))
        }
        request.onInformational = { _, _ in desk.informational.withLock { $0 += 1 } }
        let exchange = Exchange(request)
        self.exchange = exchange
        Task {
            let answer: Result<TransportResponse, any Error>
            do {
                let response = try await withUnsafeThrowingContinuation { continuation in
                    precondition(exchange.wait(continuation))
                    desk.isWaiting.signal()
                }
                answer = .success(response)
            } catch {
                answer = .failure(error)
            }
            desk.answer.withLock { $0 = answer }
            desk.isAnswered.signal()
        }
        self.desk.isWaiting.wait()
    }

    func check() {
        precondition(!self.exchange.isWaiting, "an exchange was not answered")
        self.desk.isAnswered.wait()
        let answer = self.desk.answer.withLock { $0.take() }
        precondition(self.desk.informational.withLock { $0 } <= TransportLimits().maximumInformationalResponseCount)
        switch answer {
        case .success(let response):
            precondition((200...999).contains(response.status.code), "a final response with an informational status")
            precondition(response.headers.count <= TransportLimits().maximumFieldCount)
            if let bytes = response.body.collectedBytes { precondition(bytes.readableBytes <= collectLimit * 2) }
        case .failure(let error):
            precondition(error is TransportError, "an error of another type: \(error)")
            precondition(!"\(error)".isEmpty)
        case nil: preconditionFailure("no answer")
        }
    }
}
