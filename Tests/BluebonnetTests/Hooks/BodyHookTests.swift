// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import NIOCore
import Testing

@testable import Bluebonnet

/// Hooks of AFNetworking that are interceptors, bodies and observers here.
@Suite(.timeLimit(.minutes(1))) struct BodyHookTests {
    /// Sees the bytes of every response while its reader takes them.
    private struct Tap: Interceptor {
        final class Source: ResponseBody.Source {
            let body: ResponseBody
            let seen: Recorder<Int>

            init(_ body: ResponseBody, _ seen: Recorder<Int>) {
                (self.body, self.seen) = (body, seen)
            }

            func next() async throws -> ByteBuffer? {
                // A body that has arrived gives its bytes to every iterator.
                let isOver = self.body.collectedBytes != nil && !self.seen.elements.isEmpty
                var buffers = self.body.makeAsyncIterator()
                let buffer = isOver ? nil : try await buffers.next()
                self.seen.record(buffer?.readableBytes ?? -1)
                return buffer
            }
        }

        let seen: Recorder<Int>

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            var response = try await next(request)
            let length = response.body.expectedLength
            response.body = ResponseBody(source: Source(response.body, self.seen), expectedLength: length)
            return response
        }
    }

    @Test func `1.3.6 an interceptor sees the data of every response as it arrives`() async throws {
        let seen = Recorder<Int>()
        let sum = try await Peer.server.answering(.init(byteCount: 200_000)) {
            $0.interceptors = [Tap(seen: seen)]
        } _: { session, url in
            let task = session.dataTask(with: Request(url: url), serializer: .data)
            task.resume()
            return try await task.value.count
        }
        #expect(sum == 200_000)
        #expect(seen.elements.dropLast().reduce(0, +) == 200_000 && seen.elements.last == -1)
    }

    @Test func `1.3.6 a body is made anew each time it is sent`() async throws {
        let made = Recorder<Int>()
        let body = RequestBody.stream(length: 3) {
            made.record(made.elements.count)
            return Bytes()
        }
        try await TestServer.withServer { server in
            server.enqueue(
                ScriptedResponse(status: .temporaryRedirect, headers: [.location: "/again"]),
                ScriptedResponse()
            )
            let session = Session(transport: try server.makeTransport())
            var request = Request(method: .post, url: try Peer.url("\(server.url)/"))
            request.body = body
            #expect(try await session.response(for: request).status == .ok)
            for _ in 0..<2 { #expect(try await server.takeRequest().body == Array("abc".utf8)) }
            await session.transport.shutdown()
        }
        #expect(made.elements.count == 2)
    }

    private struct Bytes: BodyReader {
        var rest = Array("abc".utf8)[...]

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let piece = self.rest.prefix(buffer.count)
            buffer.copyBytes(from: piece)
            self.rest = self.rest.dropFirst(piece.count)
            return piece.count
        }
    }

    @Test func `1.3.6 the measurements of a call are complete when the call ends`() async throws {
        struct Observer: SessionObserver {
            let events: Recorder<String>

            func observe(_ event: CallEvent, of call: Call) {
                switch event {
                case .responseBodyEnded(let count, _): self.events.record("metrics, \(count) bytes")
                case .callEnded: self.events.record("ended")
                default: break
                }
            }
        }
        let events = Recorder<String>()
        try await Peer.server.answering(.init(byteCount: 50_000)) {
            $0.observers = [Observer(events: events)]
        } _: { session, url in
            _ = try await session.response(for: Request(url: url))
        }
        #expect(events.elements == ["metrics, 50000 bytes", "ended"])
    }
}
