// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import BluebonnetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A system that takes no bytes ends the channel within the call that writes them.
@Suite(.timeLimit(.minutes(1))) struct BrokenWriteTests {
    /// Closes the channel in place of the next flush, after the bytes that have come before.
    private final class BrokenSocket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private let code: CInt
        private let received: String
        private var promises = [EventLoopPromise<Void>]()

        init(_ code: CInt = EPIPE, received: String = "") {
            (self.code, self.received) = (code, received)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { self.promises.append(promise) }
        }

        func flush(context: ChannelHandlerContext) {
            if !self.received.isEmpty {
                context.fireChannelRead(NIOAny(ByteBuffer(string: self.received)))
                context.fireChannelReadComplete()
            }
            for promise in self.promises { promise.fail(IOError(errnoCode: self.code, reason: "write")) }
            self.promises = []
            context.close(promise: nil)
        }
    }

    private struct Reader: TransportBodyReader {
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 0 }
    }

    /// Counts how often a body is opened.
    private final class Source: Sendable {
        let opened = Atomic(0)

        func note() { self.opened.add(1, ordering: .relaxed) }
    }

    enum Body: CaseIterable { case none, small, large, reader, file }

    private static func body(_ kind: Body, of file: FileBodyTests.File, _ source: Source) -> TransportBody {
        switch kind {
        case .none: return .none
        case .small: return .bytes(ByteBuffer(string: "x"))
        case .large: return .bytes(ByteBuffer(repeating: 0x78, count: 600_000))
        case .reader:
            return .reader(length: 10, isReplayable: true) {
                source.note()
                return Reader()
            }
        case .file:
            var body = FileBody(path: file.path, byteCount: 1_000)
            body.onBytes = { _ in source.note() }
            return .file(body)
        }
    }

    /// A connection whose next write fails.
    private static func broken(_ clock: ManualClock) async throws -> PipelineHarness {
        let harness = try await PipelineHarness(clock: EngineClock(clock))
        try await Self.breakNextWrite(of: harness)
        return harness
    }

    private static func breakNextWrite(
        of harness: PipelineHarness,
        _ code: CInt = EPIPE,
        received: String = ""
    ) async throws {
        try await harness.channel.testingEventLoop.executeInContext { [channel = harness.channel] in
            try channel.pipeline.syncOperations.addHandler(BrokenSocket(code, received: received), position: .first)
        }
    }

    @Test(.bug(id: "F460"), arguments: Body.allCases, [Duration?.none, .seconds(3_600)])
    func `an exchange whose head cannot be written leaves nothing behind`(
        _ kind: Body,
        _ patience: Duration?
    ) async throws {
        let (clock, source) = (ManualClock(), Source())
        let file = try FileBodyTests.File(byteCount: 1_000)
        let harness = try await Self.broken(clock)
        let body = Self.body(kind, of: file, source)
        let call = await harness.start("/", method: .put, body: body, continueTimeout: patience)
        #expect(await call.outcome.value == .elsewhere)
        // What was asked of the threads has been done by then, and of the loop.
        for _ in 0..<100 { try await NIOThreadPool.singleton.runIfActive {} }
        await harness.channel.testingEventLoop.run()
        #expect(source.opened.load(ordering: .relaxed) == 0)
        #expect(clock.timerCount == 0)
        #expect(!file.isOpen)
        #expect(try await harness.isEmpty())
    }

    @Test(.bug(id: "F460")) func `a request that cannot be written behind another one is sent elsewhere`() async throws
    {
        let clock = ManualClock()
        let harness = try await PipelineHarness(clock: EngineClock(clock))
        let first = await harness.start("/1")
        try await Self.breakNextWrite(of: harness)
        let second = await harness.start("/2")
        #expect(await first.outcome.value == .elsewhere)
        #expect(await second.outcome.value == .elsewhere)
        #expect(second.observer.names.last?.last == "failed")
        #expect(clock.timerCount == 0)
    }

    #if os(Linux)
    @Test(
        .bug(id: "F785"),
        arguments: [
            (EPIPE, PipelineHarness.Outcome.response("200 ok")), (ECONNRESET, .failed(.connectionClosed)),
        ]
    )
    func `a response without a length is whole if its server ended it before the write failed`(
        _ code: CInt,
        _ outcome: PipelineHarness.Outcome
    ) async throws {
        let harness = try await PipelineHarness()
        try await Self.breakNextWrite(of: harness, code, received: "HTTP/1.1 200 OK\r\n\r\nok")
        let body = TransportBody.bytes(ByteBuffer(repeating: 0x78, count: 600_000))
        let call = await harness.start("/", method: .put, body: body)
        #expect(await call.outcome.value == outcome)
    }
    #endif

    @Test(.bug(id: "F786")) func `a response that is cut while another request is written is not whole`() async throws {
        let harness = try await PipelineHarness()
        let first = await harness.start("/1")
        try await Self.breakNextWrite(of: harness, ECONNRESET, received: "HTTP/1.1 200 OK\r\n\r\npart")
        let second = await harness.start("/2")
        #expect(await first.outcome.value == .failed(.connectionClosed))
        #expect(await second.outcome.value == .elsewhere)
    }

    @Test(.bug(id: "F460")) func `a pump that nobody has any more closes its file`() async throws {
        let (clock, file) = (ManualClock(), try FileBodyTests.File(byteCount: 1_000))
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let (pieces, hasPiece) = AsyncStream.makeStream(of: Void.self)
        try await loop.submit {
            let pump = FileBodyPump(
                FileBody(path: file.path, byteCount: 1_000),
                eventLoop: loop,
                clock: EngineClock(clock)
            ) { _ in hasPiece.finish() }
            pump.pull(room: 1)
        }.get()
        for await _ in pieces {}
        await file.waitUntilClosed()
        await clock.advance(by: .seconds(1))
        #expect(clock.timerCount == 0)
    }
}
