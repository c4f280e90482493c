// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import Testing

@testable import Bluebonnet

/// Certificates that a script in `Fixtures/Trust` has made.
final class OpenSSLChains: Sendable {
    struct Failure: Error { var status: Int32 }

    /// The files by name: the folder is removed at once, because nothing removes what the last test leaves.
    private let files: [String: Data]

    /// Runs a script, which gets the path of a folder.
    init(_ script: String) throws {
        let folder = try TemporaryDirectory()
        let url = try #require(
            Bundle.module.url(forResource: script, withExtension: "sh", subdirectory: "Fixtures/Trust")
        )
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [url.path(), folder.url.path()]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        self.files = try Dictionary(uniqueKeysWithValues: folder.names.map { ($0, try folder.contents($0)) })
    }

    func pem(_ name: String) throws -> [UInt8] { Array(try #require(self.files["\(name).pem"])) }

    func pin(_ name: String) throws -> PublicKeyPin {
        .sha256(String(decoding: try #require(self.files["\(name).pin"]), as: UTF8.self))
    }

    /// What a server sends: its own certificate first, whose key it has.
    func identity(_ names: [String]) throws -> CertificateIdentity {
        CertificateIdentity(
            certificatePEM: try names.flatMap { try self.pem($0) },
            privateKeyPEM: Array(try #require(self.files["\(names[0]).key"]))
        )
    }
}
