// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// Servers that read a request slowly: they are alive as long as they take some of it.
@Suite(.timeLimit(.minutes(1))) struct SlowReaderTests {
    private static let bodySize = 16 * 1024 * 1024
    /// Less than the system's buffer has to have free before it takes more, unless it is told not to fill that buffer;
    /// and more than both systems keep then.
    private static let stepSize = 1024 * 1024

    @Test(.bug(id: "F598"), arguments: [false, true])
    func `a body from memory may be taken for longer than the limit on silence`(
        hasTrailers: Bool
    ) async throws {
        let (clock, observer) = (ManualClock(), RecordingObserver())
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.observer = observer
        configuration.proxy = .direct
        try await SlowReader.run { reader in
            try await NIOTransport.running(configuration) { transport in
                var request = reader.request(.bytes(ByteBuffer(repeating: 0x78, count: Self.bodySize)))
                if hasTrailers { request.trailers = { [.eTag: "\"sum\""] } }
                request.timeouts.requestBody = .milliseconds(1_500)
                let outgoing = request
                let exchange = Task { try await transport.exchange(outgoing).status }
                await observer.wait(for: "requestBodyStarted")
                for step in 1..<Self.bodySize / Self.stepSize {
                    try await reader.read(until: step * Self.stepSize)
                    await clock.advance(by: .seconds(1))
                }
                let end = hasTrailers ? "\"sum\"\r\n\r\n" : "xxxxxxxxx"
                try await reader.readBody(of: Self.bodySize, until: end)
                #expect(try await exchange.value == .ok)
                #expect(clock.elapsed > .milliseconds(1_500))
            }
        }
    }
}

/// Servers that stop to read a request: they are given up.
@Suite(.timeLimit(.minutes(1))) struct StoppedReaderTests {
    @Test(.bug(id: "F348"), arguments: [false, true])
    func `a peer that stops to read a body is given up after the limit, not twice`(isFile: Bool) async throws {
        let size = 32 * 1024 * 1024
        let file = try Self.file(size)
        defer { try? FileManager.default.removeItem(at: file) }
        let clock = ManualClock()
        var configuration = NIOTransport.Configuration()
        configuration.clock = EngineClock(clock)
        configuration.proxy = .direct
        try await SlowReader.run { reader in
            try await NIOTransport.running(configuration) { transport in
                var request = reader.request(
                    isFile
                        ? .file(FileBody(path: file.path, byteCount: Int64(size)))
                        : .bytes(ByteBuffer(repeating: 0x78, count: size))
                )
                request.timeouts.requestBody = .seconds(4)
                let outgoing = request
                let exchange = Task { try await transport.exchange(outgoing).status }
                try await reader.read(until: 6 * 1024 * 1024)
                // In small steps, because the system takes a little more after the peer has stopped.
                let result = await clock.advance(by: .milliseconds(10), until: exchange)
                let error = #expect(throws: TransportError.self) { try result.get() }
                #expect(error?.code == .timedOut && error?.phase == .requestBody)
                #expect(clock.elapsed >= .seconds(4) && clock.elapsed < .seconds(7), "\(clock.elapsed)")
            }
        }
    }

    @Test func `a file that is cut while the peer does not read is noticed when it goes on`() async throws {
        let size = 32 * 1024 * 1024
        let file = try Self.file(size)
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        try await SlowReader.run { reader in
            try await NIOTransport.running(configuration) { transport in
                let request = reader.request(.file(FileBody(path: file.path, byteCount: Int64(size))))
                let exchange = Task { try await transport.exchange(request).status }
                try await reader.read(until: 1024 * 1024)
                try FileHandle(forWritingTo: file).truncate(atOffset: 0)
                try await reader.read(until: size)
                let error = await #expect(throws: TransportError.self) { try await exchange.value }
                #expect(error?.code == .bodyFailed)
            }
        }
    }

    private static func file(_ byteCount: Int) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(byteCount))
        return file
    }
}

/// A server that reads as much as a test says, and responds when all has come.
private final class SlowReader: Sendable {
    fileprivate struct State {
        var channel: (any Channel)?
        var received = 0
        var headLength = 0
        var last = [UInt8]()
        /// How far it reads.
        var target = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let listener = Mutex<(any Channel)?>(nil)

    func request(_ body: TransportBody) -> TransportRequest {
        let origin = Origin(scheme: .http, host: "127.0.0.1", port: self.port)
        return TransportRequest(method: .post, origin: origin, target: "/", body: body)
    }

    static func run(_ body: (SlowReader) async throws -> Void) async throws {
        let reader = SlowReader()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_rcvbuf), value: 256 * 1024)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(reader))
                    reader.state.withLock { $0.channel = channel }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        reader.listener.withLock { $0 = listener }
        let result: Result<Void, any Error>
        do { result = .success(try await body(reader)) } catch { result = .failure(error) }
        try await listener.close()
        try result.get()
    }

    var port: Int { self.listener.withLock { $0?.localAddress?.port } ?? 0 }

    /// Reads until so many bytes have come, or the client has gone.
    func read(until count: Int) async throws {
        self.go(to: count)
        while self.state.withLock({ $0.received < count && !$0.isClosed }) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Reads until so many bytes have come behind the head, with the framing of chunks, and these nine at the end; then
    /// responds.
    func readBody(of count: Int, until end: String) async throws {
        self.go(to: .max)
        while self.state.withLock({
            !$0.isClosed && ($0.received < $0.headLength + count || $0.last != Array(end.utf8))
        }) {
            try Task.checkCancellation()
            await Task.yield()
        }
        let response = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        try? await self.state.withLock { $0.channel }?.writeAndFlush(response)
    }

    private func go(to count: Int) {
        self.state.withLock { state in
            state.target = count
            return state.channel
        }?.read()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let reader: SlowReader

        init(_ reader: SlowReader) { self.reader = reader }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = self.unwrapInboundIn(data).readableBytesView
            self.reader.state.withLock { state in
                if state.headLength == 0, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
                    state.headLength = end - bytes.startIndex
                }
                state.received += bytes.count
                state.last = Array((state.last + bytes.suffix(9)).suffix(9))
            }
        }

        func channelActive(context: ChannelHandlerContext) { self.readOn(context) }

        func channelInactive(context: ChannelHandlerContext) {
            self.reader.state.withLock { $0.isClosed = true }
        }

        func channelReadComplete(context: ChannelHandlerContext) { self.readOn(context) }

        private func readOn(_ context: ChannelHandlerContext) {
            if self.reader.state.withLock({ $0.received < $0.target }) { context.read() }
        }
    }
}
