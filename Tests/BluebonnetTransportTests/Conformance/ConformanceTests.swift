// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// What every transport promises, whatever carries its bytes.
@Suite(.timeLimit(.minutes(2))) struct ConformanceTests {
    @Test(arguments: Site.allCases, [200, 201, 204, 304, 400, 404, 418, 500, 599, 999])
    func `hands the status over and takes it for no error`(site: Site, status: Int) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            let response = try await transport.exchange(TransportRequest(origin: origin, target: "/status/\(status)"))
            #expect(response.status.code == status)
            let body = try await response.body.collect(upTo: 1000)
            if status == 204 || status == 304 { #expect(body.readableBytes == 0) }
        }
    }

    @Test(arguments: Site.allCases, [0, 1, 16_384, 70_000, 1_000_000])
    func `a body is the same in one piece and in many`(site: Site, size: Int) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            for mode in [TransportRequest.ResponseMode.collected(upTo: size), .streamed] {
                var request = TransportRequest(origin: origin, target: "/bytes/\(size)")
                request.responseMode = mode
                let response = try await transport.exchange(request)
                if mode != .streamed { #expect(response.body.collectedBytes?.readableBytes == size) }
                if let expected = response.body.expectedLength { #expect(expected == Int64(size)) }
                var count = 0
                for try await buffer in response.body {
                    #expect(buffer.readableBytes > 0)
                    count += buffer.readableBytes
                }
                #expect(count == size)
                var again = response.body.makeAsyncIterator()
                if mode == .streamed, size > 0, response.body.collectedBytes == nil {
                    let end = try await again.next()
                    #expect(end == nil, "a stream has one consumer, and an end that stays")
                }
            }
        }
    }

    @Test(arguments: Site.allCases) func `fields go both ways as they are, repeated and empty ones too`(
        site: Site
    ) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            var request = TransportRequest(origin: origin, target: "/fields")
            for value in ["one", "", "two, three", "one"] {
                request.headers.append(HTTPField(name: HTTPField.Name("x-sent")!, value: value))
            }
            let response = try await transport.exchange(request)
            #expect(String(buffer: try await response.body.collect(upTo: 100)) == "one||two, three|one")
            #expect(response.headers[values: HTTPField.Name("x-multi")!] == ["a", "b, c", "a"])
            #expect(response.headers[values: HTTPField.Name("x-empty")!] == [""])
        }
    }

    @Test(arguments: Site.allCases) func `answers every method`(site: Site) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            for method in [HTTPRequest.Method.get, .head, .put, .post, .delete, .options, .patch, .init("PROPFIND")!] {
                let response = try await transport.exchange(
                    TransportRequest(method: method, origin: origin, target: "/status/200")
                )
                #expect(response.status == .ok)
                #expect(response.body.trailers == nil)
            }
        }
    }

    @Test(arguments: Site.allCases) func `a response to HEAD has its fields and no body`(site: Site) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            for mode in [TransportRequest.ResponseMode.collected(upTo: 10), .streamed] {
                var request = TransportRequest(method: .head, origin: origin, target: "/bytes/5000")
                request.responseMode = mode
                let response = try await transport.exchange(request)
                #expect(response.headers[.contentLength] == "5000")
                #expect(try await response.body.collect(upTo: 0).readableBytes == 0)
            }
        }
    }

    @Test(arguments: Site.allCases) func `sends bodies whole, whatever they are made of`(site: Site) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            for size in [0, 1, 100_000] {
                let bytes = ByteBuffer(repeating: 7, count: size)
                for body in [
                    TransportBody.bytes(bytes), .pieces(of: bytes, length: Int64(size)),
                    .pieces(of: bytes, length: nil),
                ] {
                    let request = TransportRequest(method: .post, origin: origin, target: "/count", body: body)
                    let text = String(buffer: try await transport.exchange(request).body.collect(upTo: 100))
                    #expect(text.split(separator: " ").first == "\(size)")
                }
            }
        }
    }

    @Test(arguments: Site.allCases) func `delivers informational responses before the final one`(
        site: Site
    ) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            let seen = Mutex([Int]())
            var request = TransportRequest(origin: origin, target: "/hints")
            request.onInformational = { status, _ in seen.withLock { $0.append(status.code) } }
            #expect(try await transport.exchange(request).status == .ok)
            #expect(seen.withLock { $0 } == [103])
        }
    }

    @Test(arguments: Site.allCases) func `trailers are there at the end of the body`(site: Site) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            for mode in [TransportRequest.ResponseMode.collected(upTo: 100), .streamed] {
                var request = TransportRequest(origin: origin, target: "/trailers")
                request.responseMode = mode
                let response = try await transport.exchange(request)
                #expect(String(buffer: try await response.body.collect(upTo: 100)) == "with trailers")
                #expect(response.body.trailers?[HTTPField.Name("checksum")!] == "abc")
            }
        }
    }

    @Test(arguments: Site.allCases) func `many exchanges at a time get their own answers`(site: Site) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let response = try await transport.exchange(
                            TransportRequest(origin: origin, target: "/bytes/\(number)")
                        )
                        return try await response.body.collect(upTo: 100).readableBytes == number
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test(arguments: Site.allCases) func `a task that is cancelled gets a CancellationError, and the transport goes on`(
        site: Site
    ) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.exchange(TransportRequest(origin: origin, target: "/bytes/1"))
            }
            await #expect(throws: CancellationError.self) { try await early.value }
            for yields in [0, 1, 10, 1000] {
                let task = Task { try await transport.exchange(TransportRequest(origin: origin, target: "/hang")) }
                for _ in 0..<yields { await Task.yield() }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            #expect(try await transport.exchange(TransportRequest(origin: origin, target: "/bytes/1")).status == .ok)
        }
    }

    @Test(arguments: Site.allCases) func `a body may be dropped before its end`(site: Site) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            for _ in 0..<3 {
                var request = TransportRequest(origin: origin, target: "/bytes/5000000")
                request.responseMode = .streamed
                var iterator = try await transport.exchange(request).body.makeAsyncIterator()
                let first = try await iterator.next()
                #expect(first?.readableBytes ?? 0 > 0)
            }
            #expect(try await transport.exchange(TransportRequest(origin: origin, target: "/bytes/1")).status == .ok)
        }
    }

    @Test(arguments: Site.allCases) func `a connection that breaks is a TransportError`(site: Site) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(TransportRequest(method: .post, origin: origin, target: "/reset/internal"))
            }
            #expect(error?.code == .connectionClosed)
            #expect(error?.isRequestSent == true)
            #expect(try await transport.exchange(TransportRequest(origin: origin, target: "/bytes/1")).status == .ok)
        }
    }

    @Test(arguments: Site.allCases) func `refuses exchanges once it is shut down, and may be shut down twice`(
        site: Site
    ) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            await transport.shutdown()
            await transport.shutdown()
            let error = await #expect(throws: TransportError.self) {
                try await transport.exchange(TransportRequest(origin: origin, target: "/bytes/1"))
            }
            #expect(error?.code == .shutDown)
            #expect(error?.isRequestSent == false)
        }
    }

    @Test(arguments: Site.engines) func `a response above its limit is an error, told by its length or not`(
        site: Site
    ) async throws {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            for target in ["/bytes/1000", "/trailers"] {
                var request = TransportRequest(origin: origin, target: target)
                request.responseMode = .collected(upTo: 5)
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
                #expect(error?.code == .responseTooLarge)
                #expect(error?.phase == .responseBody)
            }
        }
    }

    @Test(arguments: Site.engines) func `a body that cannot be read is an error of the request`(site: Site) async throws
    {
        try await site.run { (transport: any Transport, origin: Origin) async throws in
            for length: Int64? in [nil, 100, 300] {
                let reader = RepeatingReader(remaining: 200, failsAt: length == nil ? 50 : nil)
                let body = TransportBody.reader(length: length, isReplayable: true) { reader }
                let request = TransportRequest(method: .post, origin: origin, target: "/count", body: body)
                let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
                #expect(error?.code == .bodyFailed)
                #expect(error?.phase == .requestBody)
            }
        }
    }
}
