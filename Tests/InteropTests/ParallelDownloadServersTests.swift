// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// Downloads over several connections from servers that nobody here wrote.
@Suite(.timeLimit(.minutes(2)))
struct ParallelDownloadServersTests {
    private static let byteCount = 16 << 20

    private static func policy(_ parallelism: Int) -> DownloadPolicy {
        DownloadPolicy(resume: .always, parallelism: parallelism)
    }

    /// Puts a file there that is old enough for a strong entity tag (RFC 9110 section 8.8.1).
    private static func write(_ data: Data, to server: ExternalServer) throws {
        let file = try server.write(data, as: "large.bin")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)],
            ofItemAtPath: file.path()
        )
    }

    @Test(arguments: [(ExternalServer.Kind.nginx, true), (.apache, true), (.files, false)])
    func `a file comes whole, in parts where the server does ranges`(
        _ kind: ExternalServer.Kind,
        _ doesRanges: Bool
    ) async throws {
        try await ExternalServer.withSession(kind) { http, server in
            let data = patternedData(count: Self.byteCount)
            try Self.write(data, to: server)
            let target = server.files.appending(path: "received.bin")
            let file = try await http.download("large.bin", to: target, policy: Self.policy(4))
            #expect(doesRanges ? file.rangeCount >= 2 : file.rangeCount == 1)
            #expect(try Data(contentsOf: target) == data)
        }
    }

    @Test
    func `parts over HTTP/2 come over connections of their own`() async throws {
        try await ExternalServer.run(.nginx) { server in
            let data = patternedData(count: Self.byteCount)
            try Self.write(data, to: server)
            var configuration = Session.Configuration()
            configuration.proxy = ProxyConfiguration.direct
            configuration.httpVersions = .http2
            let connections = ConnectionNames()
            configuration.networkInterceptors = [connections]
            let session = Session(configuration: configuration)
            let base = try #require(server.http2)
            let target = server.files.appending(path: "received.bin")
            let file = try await session.download(
                Request(url: base.appending(path: "slow/large.bin")),
                to: target,
                policy: Self.policy(4)
            )
            await session.shutdown()
            #expect(file.rangeCount >= 4)
            #expect(Set(connections.names).count >= 4)
            #expect(try Data(contentsOf: target) == data)
        }
    }

    @Test
    func `a server that limits each connection gives more over several`() async throws {
        try await ExternalServer.withSession(.nginx) { http, server in
            let data = patternedData(count: 4 << 20)
            try Self.write(data, to: server)
            var times: [Duration] = []
            for parallelism in [1, 4] {
                let target = server.files.appending(path: "received-\(parallelism).bin")
                let start = ContinuousClock.now
                _ = try await http.download("slow/large.bin", to: target, policy: Self.policy(parallelism))
                times.append(start.duration(to: .now))
                #expect(try Data(contentsOf: target) == data)
            }
            #expect(times[1] < times[0] / 2)
        }
    }

    @Test(arguments: [ExternalServer.Kind.nginx, .apache])
    func `a file that changes between two attempts is fetched anew`(_ kind: ExternalServer.Kind) async throws {
        try await ExternalServer.withSession(kind) { http, server in
            try Self.write(patternedData(count: Self.byteCount), to: server)
            let target = server.files.appending(path: "received.bin")
            let monitor = TransferMonitor()
            let policy = Self.policy(4)
            let request = Request(url: server.http.appending(path: "large.bin"))
            let task = Task {
                try await http.session.download(request, to: target, policy: policy, monitor: monitor)
            }
            for await progress in monitor.download where progress.completed > 0 { break }
            task.cancel()
            guard (try? await task.value) == nil else { return }
            let changed = patternedData(count: Self.byteCount + 5)
            try server.write(changed, as: "large.bin")
            let file = try await http.session.download(request, to: target, policy: policy)
            #expect(file.restart == .changed)
            #expect(try Data(contentsOf: target) == changed)
        }
    }
}

/// Keeps which connections of the server the responses came over.
private final class ConnectionNames: Interceptor {
    private let found = Mutex<[String]>([])

    var names: [String] { self.found.withLock { $0 } }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        let response = try await next(request)
        let name = HTTPField.Name("X-Connection").flatMap { response.headers[$0] }
        if let name { self.found.withLock { $0.append(name) } }
        return response
    }
}
