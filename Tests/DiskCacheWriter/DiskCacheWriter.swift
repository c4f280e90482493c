// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetDiskCache
import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import NIOCore

/// A process that fills the disk cache of a folder until it is killed; it writes a line when it has begun.
@main enum WriterProcess {
    static func main() async throws {
        let folder = URL(filePath: CommandLine.arguments[1])
        let transport = StubTransport { request in
            // The path is the length of the body.
            let count = Int(request.target.dropFirst()) ?? 0
            return TransportResponse(
                status: .ok,
                headers: [.cacheControl: "max-age=100000", .contentLength: "\(count)"],
                body: ResponseBody(ByteBuffer(bytes: PatternBytes.bytes(count)))
            )
        }
        switch CommandLine.arguments.dropFirst(2).first {
        case "responses": return try await FullFileSystem(folder).fillWithResponses()
        case "file": return try await FullFileSystem(folder).fillWithFile()
        default: break
        }
        var configuration = Session.Configuration()
        configuration.cache = try .disk(at: folder, maximumByteCount: 16 << 20)
        let session = Session(configuration: configuration, transport: transport)
        for round in 0... {
            for count in stride(from: 1000, to: 1_500_000, by: 100_003) {
                guard let url = URL(string: "http://h/\(count)") else { return }
                var request = Request(url: url)
                request.options.cachePolicy = .reloadIgnoringLocalCacheData
                _ = try await session.response(for: request)
                if round == 0, count == 1000 { FileHandle.standardOutput.write(Data("begun\n".utf8)) }
            }
        }
    }
}
