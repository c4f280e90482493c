// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An engine and the server it talks to, for the length of one test.
struct Engine {
    let transport: NIOTransport
    let server: TestServer
    let origin: Origin

    /// Runs a test against a fresh server with a fresh engine, which is shut down at the end.
    static func run(
        tls: TestServer.TLS? = nil,
        server: TestServer.Configuration = TestServer.Configuration(),
        engine: NIOTransport.Configuration = NIOTransport.Configuration(),
        _ body: (Engine) async throws -> Void
    ) async throws {
        try await TestServer.withServer(tls: tls, configuration: server) { server in
            var configuration = engine
            // Whatever the environment of the tests says.
            configuration.proxy = .direct
            if tls != nil { configuration.tls.additionalRoots.append(.pem(server.certificateAuthority.pem)) }
            let origin = Origin(
                scheme: tls != nil ? .https : .http,
                host: tls != nil ? "localhost" : server.host,
                port: server.port
            )
            let engine = Engine(transport: NIOTransport(configuration: configuration), server: server, origin: origin)
            do {
                try await body(engine)
            } catch {
                await engine.transport.shutdown()
                throw error
            }
            await engine.transport.shutdown()
        }
    }

    /// A request to the server.
    func request(
        _ method: HTTPRequest.Method = .get,
        _ target: String,
        headers: HTTPFields = HTTPFields(),
        body: TransportBody = .none,
        streamed: Bool = false
    ) -> TransportRequest {
        var request = TransportRequest(
            method: method,
            origin: self.origin,
            target: target,
            headers: headers,
            body: body
        )
        if streamed { request.responseMode = .streamed }
        return request
    }

    /// A response whose body was collected.
    struct Answer {
        let response: TransportResponse
        let bytes: ByteBuffer

        var status: Int { self.response.status.code }

        /// The body as text, made only when asked for.
        ///
        /// Under the test runner every byte that is not UTF-8 costs a captured backtrace, so binary bodies must not get here.
        var body: String { String(buffer: self.bytes) }
    }

    /// Sends a request and collects the response.
    func send(_ request: TransportRequest) async throws -> Answer {
        let response = try await self.transport.exchange(request)
        return Answer(response: response, bytes: try await response.body.collect(upTo: 64 * 1024 * 1024))
    }
}

/// Gives a number of equal bytes, in pieces.
struct RepeatingReader: TransportBodyReader {
    var remaining: Int64
    var pieceSize = Int.max
    /// Thrown when this many bytes are left.
    var failsAt: Int64?

    struct Failure: Error {}

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if let failsAt, self.remaining <= failsAt { throw Failure() }
        let count = Int(min(self.remaining, Int64(min(buffer.count, self.pieceSize))))
        if let base = buffer.baseAddress { memset(base, 0x78, count) }
        self.remaining -= Int64(count)
        return count
    }
}
