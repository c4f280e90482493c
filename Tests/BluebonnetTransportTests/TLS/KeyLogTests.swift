// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct KeyLogTests {
    @Test func `lines go to code, one per secret`() async throws {
        let lines = Mutex<[String]>([])
        var configuration = NIOTransport.Configuration()
        configuration.tls.keyLog = .lines { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
            _ = try await engine.send(engine.request(.get, "/"))
        }
        let labels = lines.withLock { $0.compactMap { $0.split(separator: " ").first.map(String.init) } }
        #expect(labels.contains("CLIENT_TRAFFIC_SECRET_0"))
        #expect(lines.withLock { $0.allSatisfy { $0.hasSuffix("\n") && $0.split(separator: " ").count == 3 } })
    }

    @Test func `a file is for its owner only, and is appended to`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "keys.log").path()
        var configuration = NIOTransport.Configuration()
        configuration.tls.keyLog = .file(path)
        var sizes = [0]
        for _ in 0..<2 {
            try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
                _ = try await engine.send(engine.request(.get, "/"))
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            sizes.append(attributes[.size] as? Int ?? 0)
        }
        #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2])
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.split(separator: "\n").allSatisfy { $0.split(separator: " ").count == 3 })
    }

    /// A named pipe, removed after the test; who still waits for its other end is woken up.
    private static func withPipe(_ body: (String) async throws -> Void) async throws {
        let path = "/tmp/bluebonnet-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let result: Result<Void, any Error>
        do { result = .success(try await body(path)) } catch { result = .failure(error) }
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        close(reader)
        unlink(path)
        try result.get()
    }

    @Test(.bug(id: "F191")) func `a named pipe that nobody reads is an error, and no thread waits for it`() async throws
    {
        try await Self.withPipe { path in
            var configuration = NIOTransport.Configuration()
            configuration.tls.keyLog = .file(path)
            try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
                var request = engine.request(.get, "/")
                request.timeouts.total = .seconds(5)
                let sent = request
                let error = await #expect(throws: TransportError.self) { try await engine.send(sent) }
                #expect(error?.code == .tlsFailed)
                #expect(error?.reason.contains("key log") == true)
            }
        }
    }

    @Test(.bug(id: "F191")) func `a named pipe whose reader is behind holds up no connection`() async throws {
        try await Self.withPipe { path in
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            let writer = open(path, O_WRONLY | O_NONBLOCK)
            try #require(reader >= 0 && writer >= 0)
            defer {
                close(reader)
                close(writer)
            }
            let filler = [UInt8](repeating: 0x0A, count: 4096)
            while write(writer, filler, filler.count) > 0 {}
            var configuration = NIOTransport.Configuration()
            configuration.tls.keyLog = .file(path)
            try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
                #expect(try await engine.send(engine.request(.get, "/status/200")).status == 200)
            }
        }
    }

    @Test(arguments: ["/nonexistent/keys.log", "/", "a\u{0}b"]) func `a file that cannot be opened is an error`(
        _ path: String
    ) async throws {
        var configuration = NIOTransport.Configuration()
        configuration.tls.keyLog = .file(path)
        try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
            let error = await #expect(throws: TransportError.self) { try await engine.send(engine.request(.get, "/")) }
            #expect(error?.code == .tlsFailed)
            #expect(error?.reason.contains("key log") == true)
        }
    }
}
