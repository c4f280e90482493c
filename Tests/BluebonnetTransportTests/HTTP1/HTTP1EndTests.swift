// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore
import Testing

/// What the end of an HTTP/1.1 connection says of a response: whole, cut, or late.
@Suite(.timeLimit(.minutes(2))) struct HTTP1EndTests {
    private static func run(
        _ steps: [ScriptedPeer.Step],
        tls: Bool = false,
        clock: ManualClock? = nil,
        _ body: (NIOTransport, TransportRequest) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority.shared()
        let context = tls ? try ScriptedPeer.context(authority: authority) : nil
        try await ScriptedPeer.run(steps, tls: context) { peer in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.tls.additionalRoots = [.pem(authority.pem)]
            if let clock { configuration.clock = EngineClock(clock) }
            try await NIOTransport.running(configuration) { transport in
                let origin = Origin(scheme: tls ? .https : .http, host: "127.0.0.1", port: peer.port)
                try await body(transport, TransportRequest(origin: origin, target: "/"))
            }
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 8 << 20)

    private static func encoded(_ bytes: [UInt8], length: Int?) -> ScriptedPeer.Step {
        let framing = length.map { "Content-Length: \($0)" } ?? "Connection: close"
        return .send(Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\(framing)\r\n\r\n".utf8) + bytes)
    }

    @Test(.bug(id: "F214"), arguments: [false, true])
    func `a compressed body that ends with its connection and not with its data is an error`(
        _ isStreamed: Bool
    ) async throws {
        let whole = Compression.gzip([UInt8](repeating: 7, count: 100_000))
        for count in [whole.count / 2, whole.count - 1, whole.count] {
            let steps: [ScriptedPeer.Step] = [
                .readHead, Self.encoded(Array(whole.prefix(count)), length: nil), .closeOutput,
            ]
            try await Self.run(steps) { transport, request in
                var request = request
                request.decodesContent = true
                if isStreamed { request.responseMode = .streamed }
                let outcome: Result<Int, any Error>
                do {
                    let response = try await transport.exchange(request)
                    outcome = .success(try await response.body.collect(upTo: 1 << 20).readableBytes)
                } catch {
                    outcome = .failure(error)
                }
                if count == whole.count {
                    let byteCount = try outcome.get()
                    #expect(byteCount == 100_000)
                } else {
                    let error = #expect(throws: TransportError.self) { _ = try outcome.get() }
                    #expect(error?.code == .decompressionFailed && error?.phase == .responseBody)
                }
            }
        }
    }

    enum Upload: CaseIterable, Sendable {
        case reader, file
    }

    @Test(.bug(id: "F215"), arguments: Upload.allCases)
    func `a reset while the body goes out is not the end of the response`(_ upload: Upload) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        // Sparse, so that it takes no room.
        try FileHandle(forWritingTo: file).truncate(atOffset: 8 << 30)
        for _ in 0..<20 {
            let steps: [ScriptedPeer.Step] = [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\npart"), .read(1 << 20), .reset,
            ]
            try await Self.run(steps) { transport, request in
                var request = request
                request.method = .post
                request.body = upload == .reader ? .endless : .file(FileBody(path: file.path, byteCount: 8 << 30))
                request.responseMode = .streamed
                let outgoing = request
                let error = await #expect(throws: TransportError.self) {
                    _ = try await transport.exchange(outgoing).body.collect(upTo: 100)
                }
                #expect(error?.code == .connectionClosed && error?.isRequestSent == true)
            }
        }
    }

    @Test(.bug(id: "F785"), arguments: ["200 OK", "413 Content Too Large"])
    func `a response that has ended is whole, although the server resets the connection behind it`(
        _ status: String
    ) async throws {
        let steps: [ScriptedPeer.Step] = [
            .readHead, .send("HTTP/1.1 \(status)\r\n\r\nwhole"), .closeOutput, .read(1 << 16), .close,
        ]
        for _ in 0..<20 {
            try await Self.run(steps) { transport, request in
                var request = request
                request.method = .post
                request.body = .endless
                let body = try await transport.exchange(request).body.collect(upTo: 10)
                #expect(String(buffer: body) == "whole")
            }
        }
    }

    @Test(.bug(id: "F346"), arguments: Upload.allCases)
    func `a peer that responds early and reads the whole body gets it`(_ upload: Upload) async throws {
        let size = 8 << 20
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(size))
        for status in ["200 OK", "302 Found", "404 Not Found", "413 Content Too Large"] {
            let steps: [ScriptedPeer.Step] = [
                .readHead, .send("HTTP/1.1 \(status)\r\nContent-Length: 5\r\n\r\n"), .read(size), .send("hello"),
            ]
            try await Self.run(steps) { transport, request in
                var request = request
                request.method = .post
                request.body =
                    switch upload {
                    case .reader:
                        .reader(length: Int64(size), isReplayable: false) { RepeatingReader(remaining: Int64(size)) }
                    case .file: .file(FileBody(path: file.path, byteCount: Int64(size)))
                    }
                // Only a failure takes as long.
                request.timeouts.idle = .seconds(10)
                let body = try await transport.exchange(request).body.collect(upTo: 10)
                #expect(String(buffer: body) == "hello")
            }
        }
    }

    @Test(.bug(id: "F346"), arguments: ["Content-Length: 2\r\n\r\nno", "Connection: close\r\n\r\n"])
    func `a refusal that is whole, or ends the connection, ends the body`(_ rest: String) async throws {
        let steps: [ScriptedPeer.Step] = [.readHead, .send("HTTP/1.1 401 Unauthorized\r\n" + rest), .closeOutput]
        try await Self.run(steps) { transport, request in
            var request = request
            request.method = .post
            request.body = .endless
            let response = try await transport.exchange(request)
            #expect(response.status == .unauthorized)
            while transport.statistics.open > 0 { await Task.yield() }
        }
    }

    @Test(.bug(id: "F347"), arguments: [false, true])
    func `a response that has come whole is not cut by the limit of the exchange, or by a shutdown`(
        _ isShutDown: Bool
    ) async throws {
        let bytes = Compression.gzip(Self.zeros)
        let clock = ManualClock()
        try await Self.run([.readHead, Self.encoded(bytes, length: bytes.count)], clock: clock) { transport, request in
            var request = request
            request.decodesContent = true
            request.responseMode = .streamed
            request.timeouts.total = .seconds(5)
            let response = try await transport.exchange(request)
            if isShutDown { await transport.shutdown() } else { await clock.advance(by: .seconds(6)) }
            #expect(transport.statistics.inFlight == 0)
            let count = try await response.body.collect(upTo: 16 << 20).readableBytes
            #expect(count == Self.zeros.count)
        }
    }

    @Test(.bug(id: "F347")) func `a response that has not come whole is cut by the limit of the exchange`() async throws
    {
        let bytes = Compression.gzip(Self.zeros).dropLast(10)
        let clock = ManualClock()
        let steps: [ScriptedPeer.Step] = [.readHead, Self.encoded(Array(bytes), length: bytes.count + 10)]
        try await Self.run(steps, clock: clock) { transport, request in
            var request = request
            request.decodesContent = true
            request.responseMode = .streamed
            request.timeouts.total = .seconds(5)
            let response = try await transport.exchange(request)
            await clock.advance(by: .seconds(6))
            let error = await #expect(throws: TransportError.self) {
                try await response.body.collect(upTo: 16 << 20)
            }
            #expect(error?.code == .timedOut && error?.phase == .total)
        }
    }

    @Test(.bug(id: "F216"), arguments: [false, true])
    func `a response that has come whole is delivered, whatever the end of its connection`(tls: Bool) async throws {
        let bytes = Compression.gzip(Self.zeros)
        // Without a close notice of TLS; without TLS it is an end like any other.
        let steps: [ScriptedPeer.Step] = [.readHead, Self.encoded(bytes, length: bytes.count), .drop]
        try await Self.run(steps, tls: tls) { transport, request in
            var request = request
            request.decodesContent = true
            request.responseMode = .streamed
            let response = try await transport.exchange(request)
            // The consumer begins when the connection has gone.
            while transport.statistics.open > 0 { await Task.yield() }
            let count = try await response.body.collect(upTo: 16 << 20).readableBytes
            #expect(count == Self.zeros.count)
        }
    }

    @Test(.bug(id: "F216")) func `a body that lasts as long as its connection fails without a close notice`()
        async throws
    {
        let steps: [ScriptedPeer.Step] = [.readHead, .send("HTTP/1.1 200 OK\r\n\r\npart"), .drop]
        try await Self.run(steps, tls: true) { transport, request in
            let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
            #expect(error?.code == .connectionClosed && error?.phase == .responseBody)
        }
    }

    /// The beginning of a response, whose framing drips from there on.
    @Test(.bug(id: "F217"), arguments: ["5;e=", "0\r\nA: "])
    func `framing that drips is silence of the body`(_ start: String) async throws {
        let (clock, ticker) = (ManualClock(), Ticker())
        let steps: [ScriptedPeer.Step] = [
            .readHead, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n" + start),
            .onTick(ticker, Array(repeating: [UInt8(ascii: "a")], count: 50)),
        ]
        try await Self.run(steps, clock: clock) { transport, request in
            var request = request
            request.responseMode = .streamed
            request.timeouts.idle = .milliseconds(1_500)
            let response = try await transport.exchange(request)
            let reading = Task { try await response.body.collect(upTo: 100) }
            try await ticker.waitForPeer()
            let result = await clock.advance(by: .seconds(1), until: reading) { await ticker.tick() }
            let error = #expect(throws: TransportError.self) { try result.get() }
            #expect(error?.code == .timedOut && error?.phase == .responseBody)
            // Otherwise it would take the 50 seconds of all the ticks. The client may notice its own limit late.
            #expect(clock.elapsed < .seconds(50), "\(clock.elapsed)")
        }
    }

    @Test(.bug(id: "F220"), arguments: [TransportBody.none, .bytes(ByteBuffer()), .bytes(ByteBuffer(string: "abc"))])
    func `every byte of a request with trailer fields is counted once`(_ body: TransportBody) async throws {
        try await Engine.run { engine in
            var request = engine.request(.post, "/", body: body)
            request.trailers = { [.eTag: "\"sum\""] }
            let metrics = try await engine.send(request).response.metrics
            let count = metrics.requestBodyByteCount
            // The chunk, the last chunk and the trailer fields.
            let framing = (count == 0 ? "" : "3\r\n\r\n") + "0\r\nETag: \"sum\"\r\n\r\n"
            #expect(metrics.requestByteCount == metrics.requestHeadByteCount + count + Int64(framing.utf8.count))
        }
    }
}
