// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import Foundation
import Testing

/// Pins against nginx, with certificates that OpenSSL has made, on HTTP/1.1 and on HTTP/2.
@Suite(.timeLimit(.minutes(1)))
struct NginxPinTests {
    private static let nobody = PublicKeyPin.sha256([UInt8](repeating: 0, count: 32))

    /// The key of a certificate in a PEM file.
    private static func pin(_ path: String) throws -> PublicKeyPin {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let base64 = text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        return try PublicKeyPin(certificate: Array(try #require(Data(base64Encoded: base64))))
    }

    @Test(arguments: [false, true])
    func `a pinned root is accepted, a foreign pin refused, and no connection is shared between them`(
        _ isHTTP2: Bool
    ) async throws {
        try await ExternalServer.run(.nginx) { server in
            let root = try #require(server.root)
            let base = try #require(isHTTP2 ? server.https2 : server.https)
            let pin = try Self.pin(root)
            var engine = NIOTransport.Configuration()
            engine.proxy = .direct
            engine.tls.additionalRoots = [.pemFile(root)]
            let transport = NIOTransport(configuration: engine)
            try await Session.withSession(transport: transport) { session in
                var request = Request(url: base.appending(path: "plain.txt"))
                try server.write(Data("pinned".utf8), as: "plain.txt")
                // With the connection that was made without pins still open.
                _ = try await session.response(for: request)
                request.transportOptions.pins = ["localhost": [pin, Self.nobody]]
                for _ in 0..<3 {
                    let response = try await session.response(for: request)
                    #expect(response.body == Data("pinned".utf8))
                }
                #expect(transport.statistics.opened == 2)
                request.transportOptions.pins = ["localhost": [Self.nobody, .sha256([UInt8](repeating: 1, count: 32))]]
                let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
                #expect(error?.certificateFault == .pinMismatch)
                #expect(error?.pinReport?.seen.last == pin)
                #expect(error?.isRequestSent == false)
            }
            await transport.shutdown()
        }
    }
}
