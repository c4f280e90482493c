// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import Crypto
import Foundation

extension ExternalServer {
    /// Starts a server and gives a session that talks to it, with an engine of its own that is shut down afterwards.
    static func withSession<Output>(
        _ kind: Kind,
        connections: Int = 16,
        _ body: (HTTPSession, ExternalServer) async throws -> Output
    ) async throws -> Output {
        try await Self.run(kind) { server in
            var configuration = NIOTransport.Configuration()
            configuration.proxy = .direct
            configuration.pool.maximumConnectionsPerOrigin = connections
            let http = HTTPSession(baseURL: server.http, transport: NIOTransport(configuration: configuration))
            do {
                let output = try await body(http, server)
                await http.session.transport.shutdown()
                return output
            } catch {
                await http.session.transport.shutdown()
                throw error
            }
        }
    }

    /// The identity of a client that the root of the server has signed, where its script makes one.
    var clientIdentity: ClientIdentity {
        func file(_ name: String) -> ClientIdentity.Source {
            .file(self.files.deletingLastPathComponent().appending(path: name).path())
        }
        return .pem(certificates: file("client.pem"), key: file("client.key"))
    }

    /// Puts a file where the server finds it.
    @discardableResult
    func write(_ data: Data, as name: String) throws -> URL {
        let file = self.files.appending(path: name)
        try data.write(to: file)
        return file
    }
}

/// Bytes that differ from block to block, so that lost, doubled or moved ones are noticed.
func patternedData(count: Int) -> Data {
    var data = Data(capacity: count + patternBlock.count)
    while data.count < count {
        withUnsafeBytes(of: data.count.bigEndian) { data.append(contentsOf: $0) }
        data.append(patternBlock)
    }
    return Data(data.prefix(count))
}

/// Made once: a loop over every byte takes its time in a debug build.
private let patternBlock: Data = {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    return Data(
        (0..<65_521).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    )
}()

/// The SHA-256 of bytes, in hexadecimal.
func digest(_ data: some DataProtocol) -> String {
    SHA256.hash(data: data).map { String(format: "%02x", $0) }.joined()
}
