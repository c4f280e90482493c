// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetTransport

/// The files of roots.
@Suite(.timeLimit(.minutes(1))) struct CertificateReadingTests {
    /// A folder of one test, removed after it.
    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-roots-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path(percentEncoded: false))
    }

    @Test(.bug(id: "F289")) func `a named pipe is no file of roots, and no thread waits for its writer`() async throws {
        try await Self.withFolder { folder in
            let pipe = folder + "/roots.pem"
            try #require(mkfifo(pipe, 0o600) == 0)
            defer {
                // Whoever waits for a writer is woken up.
                let writer = open(pipe, O_WRONLY | O_NONBLOCK)
                if writer >= 0 { close(writer) }
            }
            var configuration = NIOTransport.Configuration()
            configuration.tls.additionalRoots = [.pemFile(pipe)]
            try await Engine.run(tls: .init(), engine: configuration) { engine async throws in
                var request = engine.request(.get, "/")
                request.timeouts.total = .seconds(5)
                let sent = request
                let error = await #expect(throws: TransportError.self) { try await engine.send(sent) }
                #expect(error?.code == .tlsFailed)
                #expect(error?.reason.hasSuffix("it is a device, a socket or a pipe") == true, "\(error?.reason ?? "")")
                #expect(engine.server.totalConnections == 0)
            }
        }
    }

    @Test(.bug(id: "F600")) func `a named pipe is no file of a client identity, and no thread waits for its writer`()
        async throws
    {
        try await Self.withFolder { folder in
            let pipe = folder + "/identity.pem"
            try #require(mkfifo(pipe, 0o600) == 0)
            let identities: [ClientIdentity] = [
                .pem(certificates: .file(pipe)), .pkcs12(.file(pipe), passphrase: ""),
            ]
            for identity in identities {
                let error = #expect(throws: TransportError.self) { try identity.check() }
                #expect(error?.code == .tlsFailed)
                #expect(error?.reason == "the file \(pipe) cannot be read: it is a device, a socket or a pipe")
            }
        }
    }

    @Test func `a symbolic link to a file of roots is followed`() async throws {
        try await Self.withFolder { folder in
            let pem = Data(try CertificateAuthority.shared().pem)
            try pem.write(to: URL(filePath: folder + "/root.pem"))
            let link = folder + "/link.pem"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "root.pem")
            #expect(try TLSOptions.Certificate.pemFile(link).readDER().count == 1)
        }
    }

    @Test(arguments: [
        ("/nonexistent/root.pem", "No such file or directory"), ("/tmp", "it is a directory"),
        ("/dev/zero", "it is a device, a socket or a pipe"), ("", "the path is empty or not UTF-8, or contains a NUL"),
    ])
    func `the reason for a file of roots that cannot be read is told`(_ path: String, _ reason: String) {
        let error = #expect(throws: TransportError.self) { _ = try TLSOptions.Certificate.pemFile(path).readDER() }
        #expect(error?.code == .tlsFailed)
        #expect(error?.reason == "no PEM certificate could be read from the file \(path): \(reason)")
    }
}
