// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import Testing

@testable import BluebonnetTransport

@Suite(.timeLimit(.minutes(1))) struct ResponseStreamTests {
    /// Remembers what the connection was asked to do.
    final class RecordingDemand: Sendable {
        let all = Mutex([ResponseStream.Demand]())
    }

    func makeStream() -> (ResponseStream, RecordingDemand) {
        let demand = RecordingDemand()
        return (ResponseStream { asked in demand.all.withLock { $0.append(asked) } }, demand)
    }

    @Test func `stops reading above the high mark and goes on at the low mark`() async throws {
        let (stream, demand) = self.makeStream()
        var count = 0
        // Each buffer has a storage of its own, as those that are read from a socket.
        while !stream.put(ByteBuffer(repeating: 0, count: 64 * 1024)) { count += 1 }
        count += 1
        // What a buffer costs besides its bytes counts, too: the mark is passed with the last piece or the one before.
        #expect((count + 1) * 64 * 1024 > ResponseStream.highMark)
        #expect((count - 1) * 64 * 1024 <= ResponseStream.highMark)
        var taken = 0
        while demand.all.withLock({ $0.isEmpty }) {
            _ = try await stream.next()
            taken += 1
        }
        #expect(demand.all.withLock { $0 } == [.resumeReading])
        #expect((count - taken) * 64 * 1024 <= ResponseStream.lowMark)
    }

    @Test func `gives everything that came before the end, then the end, again and again`() async throws {
        let (stream, demand) = self.makeStream()
        _ = stream.put(ByteBuffer(string: "a"))
        _ = stream.put(ByteBuffer(string: "b"))
        stream.end(.success(nil))
        #expect(try await stream.next() == ByteBuffer(string: "a"))
        #expect(try await stream.next() == ByteBuffer(string: "b"))
        #expect(try await stream.next() == nil)
        #expect(try await stream.next() == nil)
        stream.abandon()
        #expect(demand.all.withLock { $0.isEmpty }, "a stream that has ended has nothing to give up")
    }

    @Test func `a cancelled reader gets nothing of what is here, and the rest is given up`() async {
        let (stream, demand) = self.makeStream()
        _ = stream.put(ByteBuffer(string: "a"))
        _ = stream.put(ByteBuffer(string: "b"))
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await stream.next()
        }
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(demand.all.withLock { $0 } == [.abandon])
    }

    @Test func `throws the error after the bytes before it`() async throws {
        let (stream, _) = self.makeStream()
        _ = stream.put(ByteBuffer(string: "a"))
        stream.end(.failure(TransportError.shutDown(in: .responseBody)))
        #expect(try await stream.next() == ByteBuffer(string: "a"))
        await #expect(throws: TransportError.self) { try await stream.next() }
    }

    @Test func `dropping the consumer gives the rest up`() {
        let (stream, demand) = self.makeStream()
        var source: ResponseStreamSource? = ResponseStreamSource(stream, expectedLength: nil)
        #expect(source != nil)
        source = nil
        #expect(demand.all.withLock { $0 } == [.abandon])
    }

    @Test func `a body that is given up never looks complete, though its end had arrived`() async throws {
        let (stream, _) = self.makeStream()
        _ = stream.put(ByteBuffer(string: "a"))
        _ = stream.put(ByteBuffer(string: "b"))
        stream.end(.success(nil))
        #expect(try await stream.next() == ByteBuffer(string: "a"))
        stream.abandon()
        await #expect(throws: CancellationError.self) { try await stream.next() }
    }

    @Test func `cancelling a waiting consumer gives the rest up`() async {
        let (stream, demand) = self.makeStream()
        let task = Task { try await stream.next() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(demand.all.withLock { $0 } == [.abandon])
    }

    /// Lets two readers wait at the same time, one of which is refused; does something, and gives a buffer to the other.
    private static func expectOneReader(of stream: ResponseStream, doing work: () -> Void = {}) async {
        await withTaskGroup(of: Result<ByteBuffer?, any Error>.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do { return .success(try await stream.next()) } catch { return .failure(error) }
                }
            }
            let refused = await group.next()
            #expect(throws: TransportError.self) { try refused?.get() }
            work()
            _ = stream.put(ByteBuffer(string: "a"))
            stream.wake()
            #expect((try? await group.next()?.get()) == ByteBuffer(string: "a"))
        }
    }

    @Test func `of two readers at a time one gets the bytes, and the other an error instead of waiting for ever`() async
    {
        await Self.expectOneReader(of: self.makeStream().0)
    }

    @Test(.bug(id: "F629")) func `bytes that have arrived belong to the reader that waits for them`() async {
        let (stream, _) = self.makeStream()
        await withTaskGroup(of: Result<ByteBuffer?, any Error>.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do { return .success(try await stream.next()) } catch { return .failure(error) }
                }
            }
            // One of the two is refused, so that the other one waits.
            _ = await group.next()
            _ = stream.put(ByteBuffer(string: "a"))
            await #expect(throws: TransportError.self) { try await stream.next() }
            stream.wake()
            #expect((try? await group.next()?.get()) == ByteBuffer(string: "a"))
        }
    }

    @Test(.bug(id: "F168"), arguments: [UInt64(0), 7])
    func `the cancellation of a second reader does not end the first one's wait`(_ number: UInt64) async {
        let (stream, demand) = self.makeStream()
        await Self.expectOneReader(of: stream) { stream.abandon(by: number) }
        #expect(demand.all.withLock { $0.isEmpty })
    }
}
