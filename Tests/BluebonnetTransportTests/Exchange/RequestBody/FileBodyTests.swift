// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import BluebonnetTesting
@testable import BluebonnetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(1))) struct FileBodyTests {
    /// A file of one test, removed with it.
    final class File: Sendable {
        let path: String

        init(byteCount: Int) throws {
            var template = Array("/tmp/bluebonnet-file-body-XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            try #require(descriptor >= 0)
            self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let bytes = Self.bytes(byteCount)
            #expect(write(descriptor, bytes, bytes.count) == bytes.count)
            close(descriptor)
        }

        deinit { unlink(self.path) }

        static func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        }

        func resize(to byteCount: Int) { truncate(self.path, byteCount) }

        /// Waits until this process has it no longer open; the event loop lets go of it after it has told the result.
        func waitUntilClosed() async {
            while self.isOpen { await Task.yield() }
        }

        /// Whether this process has it open.
        var isOpen: Bool {
            (0..<1024).contains { descriptor in
                var target = [CChar](repeating: 0, count: 4096)
                let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
                return count > 0 && target.prefix(count).map { UInt8(bitPattern: $0) } == Array(self.path.utf8)
            }
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var byteCount: Int
        var part: Range<Int>?
        var testDescription: String { self.name }
    }

    static let cases = [
        Case(name: "empty", byteCount: 0), Case(name: "a byte", byteCount: 1),
        Case(name: "one piece", byteCount: Int(FileBodyPump.pieceSize)),
        Case(name: "many pieces", byteCount: 3 * Int(FileBodyPump.pieceSize) + 17),
        Case(name: "a part", byteCount: 100_000, part: 10..<99_990),
        Case(name: "no part", byteCount: 10, part: 10..<10),
    ]

    static func digest(_ bytes: ArraySlice<UInt8>) -> String {
        var digest = BodyDigest()
        digest.update(ByteBuffer(bytes: bytes))
        return digest.sha256
    }

    @Test(arguments: cases, [false, true]) func `sends a file, or a part of it`(
        _ one: Case,
        _ isSecure: Bool
    ) async throws {
        let file = try File(byteCount: one.byteCount)
        let range = one.part ?? 0..<one.byteCount
        for isChunked in [false, true] {
            try await Engine.run(tls: isSecure ? .init() : nil) { engine in
                let counted = Mutex(-1)
                var body = FileBody(path: file.path, byteCount: Int64(one.byteCount))
                if one.part != nil {
                    body = FileBody(path: file.path, offset: Int64(range.lowerBound), byteCount: Int64(range.count))
                }
                body.onBytes = { count in counted.withLock { $0 = count == 0 ? 0 : $0 + count } }
                var request = engine.request(.put, "/", body: .file(body))
                if isChunked { request.trailers = { [:] } }
                engine.server.enqueue(ScriptedResponse(body: "ok"))
                #expect(try await engine.send(request).body == "ok")
                let received = try await engine.server.takeRequest()
                #expect(received.bodyByteCount == Int64(range.count))
                #expect(received.bodySHA256 == Self.digest(File.bytes(one.byteCount)[range]))
                #expect(received.headers[.contentLength] == (isChunked ? nil : String(range.count)))
                #expect(counted.withLock { $0 } == range.count)
            }
        }
        await file.waitUntilClosed()
    }

    @Test func `on plain HTTP the channel is given the file itself, piece by piece, and no bytes of it`() async throws {
        let file = try File(byteCount: 1_200_000)
        let harness = try await PipelineHarness()
        _ = try await harness.sent()
        let body = TransportBody.file(FileBody(path: file.path, offset: 100, byteCount: 1_199_000))
        let call = await harness.start("/", method: .put, body: body)
        let head = try await harness.channel.waitForOutboundWrite(as: ByteBuffer.self)
        #expect(String(buffer: head).hasSuffix("Content-Length: 1199000\r\n\r\n"))
        for range in [100..<524_388, 524_388..<1_048_676, 1_048_676..<1_199_100] {
            let region = try await harness.channel.waitForOutboundWrite(as: FileRegion.self)
            #expect(region.readerIndex..<region.endIndex == range)
        }
        await harness.feed([Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)])
        #expect(await call.outcome.value == .response("204 "))
        #expect(try await harness.sent().isEmpty)
        await harness.close()
    }

    @Test func `sends a file on HTTP2`() async throws {
        let file = try File(byteCount: 300_000)
        try await HTTP2Server.run { (server: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
            let body = TransportBody.file(FileBody(path: file.path, byteCount: 300_000))
            let request = TransportRequest(method: .post, origin: origin, target: "/echo", body: body)
            let checksum = ByteBuffer(bytes: File.bytes(300_000)).checksum()
            #expect(try await HTTP2Tests.text(transport.exchange(request)) == "300000 \(checksum)")
        }
        await file.waitUntilClosed()
    }

    /// A change of the file while it is being sent, and a word of the error it gives.
    static let changes: [(byteCount: Int, word: String)] = [
        (5_000_000, "longer"), (4_999_999, "longer"), (10, "shorter"),
    ]

    @Test(arguments: [0, 1, 2], [false, true])
    func `a file that changes its length while it is sent is an error`(_ index: Int, _ isSecure: Bool) async throws {
        let file = try File(byteCount: 3_000_000)
        let change = Self.changes[index]
        try await Engine.run(tls: isSecure ? .init() : nil) { engine in
            var body = FileBody(path: file.path, byteCount: 3_000_000)
            body.onBytes = { count in if count > 0 { file.resize(to: change.byteCount) } }
            let error = await #expect(throws: TransportError.self) {
                try await engine.send(engine.request(.put, "/upload", body: .file(body)))
            }
            #expect(error?.code == .bodyFailed)
            #expect(error?.reason.contains(change.word) == true)
            // The connection is gone: the peer cannot take what it got for the whole.
            try await engine.server.waitForConnections { $0.open == 0 }
            _ = engine.server.takeFailures()
        }
        await file.waitUntilClosed()
    }

    @Test(.bug(id: "F606"))
    func `a file that is not as long as it was, or is none, is refused before anything is sent`() async throws {
        let file = try File(byteCount: 1_000)
        let pipe = file.path + ".pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        try await Engine.run { engine in
            let bodies = [
                FileBody(path: file.path, byteCount: 999), FileBody(path: file.path, byteCount: 1_001),
                FileBody(path: file.path, offset: 999, byteCount: 2), FileBody(path: "/nowhere/at/all", byteCount: 3),
                FileBody(path: "/tmp", byteCount: 3), FileBody(path: "/dev/zero", byteCount: 3),
                FileBody(path: pipe, byteCount: 3),
            ]
            for body in bodies {
                let error = await #expect(throws: TransportError.self) {
                    try await engine.send(engine.request(.put, "/upload", body: .file(body)))
                }
                #expect(error?.code == .bodyFailed)
                let name = body.path.split(separator: "/").last ?? ""
                #expect(error?.reason.hasPrefix("the body's file “\(name)” ") == true)
                #expect(error?.phase == .requestBody)
                #expect(error?.isRequestSent == false)
            }
            #expect(engine.transport.statistics.started == 0, "no connection was taken for any of them")
            let impossible = [
                FileBody(path: file.path, offset: -1, byteCount: 2), FileBody(path: file.path, byteCount: -1),
                FileBody(path: file.path, offset: .max, byteCount: .max), FileBody(path: "a\0b", byteCount: 1),
                FileBody(path: "", byteCount: 1),
            ]
            for body in impossible {
                let error = await #expect(throws: TransportError.self) {
                    try await engine.send(engine.request(.put, "/upload", body: .file(body)))
                }
                #expect(error?.code == .invalidRequest)
            }
            _ = engine.server.takeFailures()
        }
        await file.waitUntilClosed()
    }

    /// The size of a file, and the number of bytes that can be read from it; nil if it cannot be read.
    static func sizes(ofPath path: String) -> (stated: Int64, real: Int64)? {
        guard let stated = try? RegularFile.byteCount(ofPath: path),
            let bytes = try? FileContent.read(path, upTo: 1 << 20)
        else { return nil }
        return (stated, Int64(bytes.count))
    }

    /// A file whose size is that of a page, whatever it has.
    static let shortFile = "/sys/kernel/mm/transparent_hugepage/enabled"
    /// A file whose size is 0, whatever it has.
    static let longFile = "/proc/version"

    @Test(
        .bug(id: "F494"),
        .enabled(if: FileBodyTests.sizes(ofPath: FileBodyTests.shortFile).map { $0.real < $0.stated } ?? false),
        arguments: [false, true]
    )
    func `a file that ends before its size fails at once, on HTTP/1.1 too`(_ isSecure: Bool) async throws {
        let byteCount = try #require(Self.sizes(ofPath: Self.shortFile)).stated
        try await Self.refuses(FileBody(path: Self.shortFile, byteCount: byteCount), "shorter", isSecure)
    }

    @Test(
        .bug(id: "F495"),
        .enabled(if: FileBodyTests.sizes(ofPath: FileBodyTests.longFile).map { $0.real > $0.stated } ?? false),
        arguments: [false, true]
    )
    func `a file of size 0 that has bytes is refused`(_ isSecure: Bool) async throws {
        try await Self.refuses(FileBody(path: Self.longFile, byteCount: 0), "longer", isSecure)
    }

    private static func refuses(_ body: FileBody, _ word: String, _ isSecure: Bool) async throws {
        try await Engine.run(tls: isSecure ? .init() : nil) { engine in
            let error = await #expect(throws: TransportError.self) {
                try await engine.send(engine.request(.put, "/upload", body: .file(body)))
            }
            #expect(error?.code == .bodyFailed)
            #expect(error?.isRequestSent == false)
            #expect(error?.reason.contains(word) == true)
            #expect(engine.transport.statistics.started == 0)
        }
    }

    @Test func `cancelling closes the file and the connection`() async throws {
        let file = try File(byteCount: 1)
        file.resize(to: 200_000_000)
        try await Engine.run { engine in
            engine.server.enqueue(ScriptedResponse(effect: .doNotRead))
            let (started, continuation) = AsyncStream.makeStream(of: Void.self)
            var body = FileBody(path: file.path, byteCount: 200_000_000)
            body.onBytes = { _ in continuation.yield() }
            let request = engine.request(.put, "/", body: .file(body))
            let upload = Task { try await engine.send(request) }
            for await _ in started { break }
            upload.cancel()
            await #expect(throws: CancellationError.self) { try await upload.value }
            await engine.transport.shutdown()
            _ = engine.server.takeFailures()
        }
        await file.waitUntilClosed()
    }

    @Test func `a verdict that comes early ends the sending and is delivered`() async throws {
        let file = try File(byteCount: 1)
        file.resize(to: 200_000_000)
        try await Engine.run { engine in
            var early = ScriptedResponse(status: .contentTooLarge, headers: [.connection: "close"], body: "too large")
            early.isEarly = true
            engine.server.enqueue(early)
            let body = FileBody(path: file.path, byteCount: 200_000_000)
            let answer = try await engine.send(engine.request(.put, "/", body: .file(body)))
            #expect(answer.status == 413)
            #expect(answer.body == "too large")
            _ = engine.server.takeFailures()
        }
        await file.waitUntilClosed()
    }
}
