// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// `--download` of the real program onto what a new file cannot replace.
@Suite(.timeLimit(.minutes(1))) struct InPlaceDownloadTests {
    /// What is at the place of the output.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case hardLink, danglingLink, pipe

        var testDescription: String { self.rawValue }

        /// Makes it, as `out` in a folder.
        ///
        /// - Returns: The reading end of a pipe; nil for anything else.
        func make(in folder: TemporaryFolder) throws -> FileHandle? {
            let out = folder.path + "/out"
            switch self {
            case .hardLink:
                _ = try folder.add("out", "old content")
                #expect(link(out, folder.path + "/second") == 0)
            case .danglingLink:
                #expect(symlink("target", out) == 0)
            case .pipe:
                #expect(mkfifo(out, 0o600) == 0)
                // For both directions, so that opening does not wait for the program.
                let descriptor = open(out, O_RDWR | O_NONBLOCK | O_CLOEXEC)
                return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            }
            return nil
        }

        /// What has been written there; nil if nothing has.
        func content(in folder: TemporaryFolder, _ pipe: FileHandle?) -> String? {
            guard let pipe else {
                let text = folder.text(self == .hardLink ? "second" : "target")
                return text == "old content" ? nil : text
            }
            var bytes = [UInt8](repeating: 0, count: 1000)
            let count = read(pipe.fileDescriptor, &bytes, bytes.count)
            return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
        }

        /// The names that there are when nothing is left over.
        var names: [String] {
            switch self {
            case .hardLink: ["out", "second"]
            case .danglingLink, .pipe: ["out"]
            }
        }
    }

    /// The digest of “hello”.
    static let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

    @Test(.bug(id: "F335"), arguments: Place.allCases)
    func `a wrong digest is an error whatever the output is`(_ place: Place) async throws {
        try await TestServer.withServer { server in
            for (sent, status) in [("jello", Int32(2)), ("hello", 0)] {
                let folder = try TemporaryFolder()
                let temporary = try TemporaryFolder()
                let pipe = try place.make(in: folder)
                server.enqueue(ScriptedResponse(body: .text(sent)))
                let result = try await Program(environment: ["TMPDIR": temporary.path], directory: folder.path)
                    .run("-d", "-o", "out", "--sha256", Self.digest, server.url)
                #expect(temporary.names.isEmpty)
                #expect(result.ending == .exited(status), "\(result.errors)")
                #expect(result.errors.contains("sha-256 verified") == (status == 0), "\(result.errors)")
                #expect(result.errors.contains("nothing was saved") == (status != 0), "\(result.errors)")
                #expect(place.content(in: folder, pipe) == (status == 0 ? sent : nil))
                let isMade = place == .danglingLink && status == 0
                #expect(folder.names == place.names + (isMade ? ["target"] : []))
            }
        }
    }

    /// How a server tells the digest.
    enum Telling: CaseIterable {
        case header, trailer
    }

    @Test(.bug(id: "F335"), arguments: Place.allCases, Telling.allCases)
    func `a digest of the server is verified whatever the output is`(
        _ place: Place,
        _ telling: Telling
    ) async throws {
        let name = try #require(HTTPField.Name("Repr-Digest"))
        let trailer = try #require(HTTPField.Name("Trailer"))
        let value = "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:"
        try await TestServer.withServer { server in
            for (sent, status) in [("jello", Int32(2)), ("hello", 0)] {
                let folder = try TemporaryFolder()
                let pipe = try place.make(in: folder)
                var response = ScriptedResponse(body: .text(sent))
                if telling == .header {
                    response.headers[name] = value
                } else {
                    response.framing = .chunked(byteCount: 2)
                    response.headers[trailer] = "X-Other, repr-digest"
                    response.trailers[name] = value
                }
                server.enqueue(response)
                let result = try await Program(directory: folder.path).run("-d", "-o", "out", server.url)
                #expect(result.ending == .exited(status), "\(result.errors)")
                #expect(result.errors.contains("sha-256 verified") == (status == 0), "\(result.errors)")
                // What went through a pipe cannot be taken back, and it is said.
                let isWritten = status == 0 || place == .pipe
                #expect(place.content(in: folder, pipe) == (isWritten ? sent : nil))
                #expect(result.errors.contains("has received them") == (status != 0 && place == .pipe))
            }
        }
    }

    @Test(.bug(id: "F335"), arguments: [Place.hardLink, .danglingLink])
    func `a body that breaks off leaves what was there`(_ place: Place) async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            _ = try place.make(in: folder)
            server.enqueue(ScriptedResponse(body: "hello", effect: .drop(.afterBody(2))))
            let result = try await Program(directory: folder.path).run("-d", "-o", "out", server.url)
            #expect(result.ending == .exited(2), "\(result.errors)")
            #expect(place.content(in: folder, nil) == nil)
            #expect(folder.names == place.names)
        }
    }

    @Test(.bug(id: "F335"), arguments: Place.allCases)
    func `what cannot be kept is not promised to be kept`(_ place: Place) async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let pipe = try place.make(in: folder)
            let result = try await Program(directory: folder.path).run("-d", "-c", "-o", "out", server.url)
            #expect(result.ending == .exited(1), "\(result.errors)")
            #expect(result.errors.contains("leave out --continue"), "\(result.errors)")
            #expect(server.untakenRequestCount == 0)
            #expect(place.content(in: folder, pipe) == nil)
        }
    }

    @Test(.bug(id: "F335"), arguments: Place.allCases)
    func `parts are received at a time whatever the output is`(_ place: Place) async throws {
        try await TestServer.withServer { server in
            // Two parts of the smallest size, of which a pipe takes none before both have come.
            let whole = PatternBytes.bytes(in: 0..<4_000_000)
            server.respond { request in
                .range(of: whole, for: request, .throttle(byteCount: 100_000, every: .milliseconds(20)))
            }
            let folder = try TemporaryFolder()
            let pipe = try place.make(in: folder)
            let program = try Program(directory: folder.path)
                .start(["-d", "-o", "out", "--parallel=2", server.url])
            var received: [UInt8] = []
            if let pipe {
                var piece = [UInt8](repeating: 0, count: 64 * 1024)
                while received.count < whole.count {
                    let count = read(pipe.fileDescriptor, &piece, piece.count)
                    if count > 0 { received += piece[..<count] } else { await Task.yield() }
                }
            }
            let result = await program.result()
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.errors.contains("in 2 parts"), "\(result.errors)")
            if pipe == nil { received = folder.bytes(place == .hardLink ? "second" : "target") ?? [] }
            #expect(received == whole)
        }
    }
}
