// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Bluebonnet

/// Both protocols against a server in memory, over real sockets.
@Suite(.timeLimit(.minutes(2))) struct ResumableUploadTests {
    @Test func `tus creates, appends and ends with the whole file`() async throws {
        try await UploadTestScene.run { scene in
            let uploaded = try await scene.send()
            #expect(scene.origin.methods == ["OPTIONS", "POST", "PATCH", "PATCH", "PATCH"])
            #expect(scene.origin.files == [scene.bytes])
            #expect(
                scene.origin.uploads["/files/0"]?.metadata == "filename YQ==,filetype YXBwbGljYXRpb24vb2N0ZXQtc3RyZWFt"
            )
            #expect(uploaded.url?.absoluteString == "\(scene.server.url)/files/0")
            #expect(uploaded.byteCount == 1000)
            #expect(uploaded.resumedOffset == 0)
            #expect(uploaded.restart == nil)
            #expect(try scene.directory.names == ["a"])
            for request in scene.origin.requests.dropFirst() { #expect(request.headers[.tusResumable] == "1.0.0") }
        }
    }

    #if os(Linux)
    /// The number of descriptors of this process for a file.
    private static func descriptorCount(of file: URL) throws -> Int {
        let path = file.path(percentEncoded: false)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target?.hasPrefix(path) ?? false
        }
    }

    @Test(.bug(id: "F730"), arguments: [false, true], [false, true])
    func `an upload that has ended does not keep its file open`(_ isDraft: Bool, _ fails: Bool) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: isDraft)) { scene in
            if fails {
                scene.origin.fail(nil, .status(403), .status(403))
                _ = try await scene.failing()
            } else {
                _ = try await scene.send()
            }
            #expect(try await Patience.holds { try Self.descriptorCount(of: scene.file) == 0 })
        }
    }
    #endif

    @Test func `an offset of an upload without a URL is not a beginning`() async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true)) { scene in
            let (origin, isSecond) = (scene.origin, Recorder<Bool>())
            scene.server.respond(to: "/files") { request in
                guard isSecond.elements.isEmpty else { return origin.respond(to: request) }
                isSecond.record(true)
                return .raw(
                    "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 6\r\nUpload-Offset: 100\r\n\r\n"
                )
            }
            _ = try await scene.failing()
            _ = try await scene.send()
            #expect(origin.files == [scene.bytes])
        }
    }

    @Test func `a file that has taken the place of the uploaded one is not removed`() async throws {
        try await UploadTestScene.run { scene in
            scene.upload.removesFile = true
            let (origin, file, next) = (scene.origin, scene.file, Data("next".utf8))
            scene.server.respond(to: "/files/0") { request in
                try next.write(to: file, options: .atomic)
                return origin.respond(to: request)
            }
            _ = try await scene.send()
            #expect(try scene.directory.contents("a") == next)
        }
    }

    /// What happens to the path of a file while it is uploaded.
    enum Change: CaseIterable {
        case becomesDirectory, becomesUnreadable, becomesPipe, vanishes

        func apply(to file: URL) throws {
            try FileManager.default.removeItem(at: file)
            switch self {
            case .becomesDirectory:
                try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
                try Data("b".utf8).write(to: file.appending(path: "b"))
            case .becomesUnreadable:
                try Data("next".utf8).write(to: file)
                #expect(chmod(file.path(percentEncoded: false), 0) == 0)
            case .becomesPipe: #expect(mkfifo(file.path(percentEncoded: false), 0o600) == 0)
            case .vanishes: break
            }
        }
    }

    @Test(.bug(id: "F337"), arguments: Change.allCases)
    func `nothing but the uploaded file is removed, and its absence is no error`(_ change: Change) async throws {
        try await UploadTestScene.run { scene in
            scene.upload.removesFile = true
            let (origin, file, hasChanged) = (scene.origin, scene.file, Recorder<Bool>())
            scene.server.respond(to: "/files/0") { request in
                if hasChanged.elements.isEmpty { try change.apply(to: file) }
                hasChanged.record(true)
                return origin.respond(to: request)
            }
            _ = try await scene.send()
            #expect(origin.files == [scene.bytes])
            #expect(try scene.directory.names == (change == .vanishes ? [] : ["a"]))
            guard change == .becomesDirectory else { return }
            #expect(try Data(contentsOf: file.appending(path: "b")) == Data("b".utf8))
        }
    }

    @Test(.bug(id: "F337")) func `an uploaded file that may no longer be read is removed`() async throws {
        try await UploadTestScene.run { scene in
            scene.upload.removesFile = true
            let (origin, path) = (scene.origin, scene.file.path(percentEncoded: false))
            scene.server.respond(to: "/files/0") { request in
                chmod(path, 0)
                return origin.respond(to: request)
            }
            _ = try await scene.send()
            #expect(try scene.directory.names == [])
        }
    }

    @Test func `the draft tells the end with the last piece`() async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true)) { scene in
            let uploaded = try await scene.send()
            let requests = scene.origin.requests
            #expect(requests.map(\.method) == [.post, .patch, .patch, .patch])
            #expect(requests.map { $0.headers[.complete] } == ["?0", "?0", "?0", "?1"])
            #expect(requests.map { $0.headers[.offset] } == [nil, "300", "600", "900"])
            #expect(
                requests.map { $0.headers[.contentType] }.dropFirst().allSatisfy { $0 == "application/partial-upload" }
            )
            #expect(requests.allSatisfy { $0.headers[.interopVersion] == "6" })
            #expect(scene.origin.files == [scene.bytes])
            #expect(uploaded.response?.status.code == 204)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test(arguments: [false, true]) func `an empty file is uploaded with its creation`(_ isDraft: Bool) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: isDraft), byteCount: 0) { scene in
            _ = try await scene.send()
            #expect(scene.origin.files == [Data()])
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test(arguments: [false, true]) func `an upload that is cut at any byte goes on there`(_ isDraft: Bool) async throws
    {
        for cut in [0, 1, 299, 300] {
            for piece in 0..<4 {
                try await UploadTestScene.run(UploadOrigin(isDraft: isDraft)) { scene in
                    for _ in 0..<piece { scene.origin.fail(nil) }
                    scene.origin.fail(.cut(after: cut))
                    let kept = min(piece * 300 + cut, 1000)
                    let error = try await scene.failing()
                    #expect(error.code == .connectionClosed)
                    #expect(error.uploadRemains?.byteCount == 1000)
                    // A creation whose response is lost leaves an upload that nobody knows the name of.
                    let isKnown = piece > 0
                    #expect(error.uploadRemains?.acknowledgedByteCount == Int64(piece * 300))
                    #expect(try scene.directory.names.count == 3)
                    let before = scene.origin.receivedByteCount
                    let uploaded = try await scene.send()
                    #expect(scene.origin.files.contains(scene.bytes))
                    if isKnown {
                        #expect(scene.origin.receivedByteCount - before == 1000 - kept)
                        #expect(uploaded.resumedOffset == kept)
                    }
                    #expect(try scene.directory.names == ["a"])
                }
            }
        }
    }

    @Test(arguments: [false, true]) func `failures are retried with the policy of the session`(
        _ isDraft: Bool
    ) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: isDraft), retries: .idempotent(attempts: 3)) { scene in
            let origin = scene.origin
            origin.fail(nil, .cut(after: 7), .silence, .status(503), .status(423), .short(20), .status(409))
            let monitor = TransferMonitor()
            async let uploaded = scene.send(monitor: monitor)
            var last: Int64 = 0
            for await progress in monitor.upload {
                #expect(progress.completed >= last)
                last = progress.completed
            }
            _ = try await uploaded
            #expect(last == 1000)
            #expect(origin.files == [scene.bytes])
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test func `attempts without progress come to an end`() async throws {
        try await UploadTestScene.run(retries: .idempotent(attempts: 3)) { scene in
            scene.origin.fail(nil, .status(503), .status(503), .status(503))
            let error = try await scene.failing()
            #expect(error.response?.status.code == 503)
            #expect(scene.origin.methods == ["OPTIONS", "POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
            #expect(error.uploadRemains?.acknowledgedByteCount == 300)
            let uploaded = try await scene.send()
            #expect(uploaded.resumedOffset == 300)
        }
    }

    @Test func `a wait follows Retry-After on the session's clock`() async throws {
        try await UploadTestScene.run(retries: .idempotent(attempts: 2)) { scene in
            let clock = ManualSessionClock()
            var configuration = scene.session.configuration
            configuration.clock = clock.clock
            let session = Session(configuration: configuration, transport: scene.session.transport)
            scene.origin.fail(nil, .status(503, [.retryAfter: "30"]))
            let (file, request, upload) = (scene.file, try scene.request(), scene.upload)
            let task = Task { try await session.upload(file, with: request, resuming: upload) }
            await clock.waitForSleeps(1)
            clock.advance(by: .seconds(30))
            _ = try await task.value
            #expect(scene.origin.files == [scene.bytes])
        }
    }

    @Test func `a damaged piece is sent again`() async throws {
        try await UploadTestScene.run(retries: .idempotent(attempts: 2)) { scene in
            scene.upload.digestsPieces = true
            scene.origin.fail(nil, .damaged, nil, .damaged)
            _ = try await scene.send()
            #expect(scene.origin.files == [scene.bytes])
            #expect(scene.origin.requests.filter { $0.bodyByteCount > 0 }.allSatisfy { $0.headers[.checksum] != nil })
        }
        try await UploadTestScene.run { scene in
            scene.upload.digestsPieces = true
            scene.origin.fail(nil, .damaged)
            let error = try await scene.failing()
            #expect(error.code == .digestMismatch)
        }
    }

    @Test func `pieces of the draft carry Content-Digest`() async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true), byteCount: 4, pieceSize: 10) { scene in
            scene.upload.digestsPieces = true
            try Data("abcd".utf8).write(to: scene.file)
            _ = try await scene.send()
            let digest = "sha-256=:iNQmb9TmM40TuEX88olXnScpipTQ8l5NM2V7oSdb1Yk=:"
            #expect(scene.origin.requests.map { $0.headers[.contentDigest] }.count == 1)
            #expect(scene.origin.requests.first?.headers[.contentDigest]?.count == digest.count)
        }
    }

    @Test func `parts are sent side by side and joined`() async throws {
        let byteCount = 3 * 1024 * 1024 + 17
        try await UploadTestScene.run(byteCount: byteCount, pieceSize: 400_000, retries: .idempotent()) { scene in
            scene.upload = .tus(TusOptions(parallelism: 4))
            scene.upload.pieceSize = .fixed(400_000)
            scene.origin.fail(nil, .cut(after: 5), .short(7), .silence)
            _ = try await scene.send()
            #expect(scene.origin.files == [scene.bytes])
            let join = scene.origin.requests.last?.headers[.concat]
            #expect(join?.split(separator: " ").count == 3)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test func `parallel parts go on after an error`() async throws {
        let byteCount = 2 * 1024 * 1024
        try await UploadTestScene.run(byteCount: byteCount) { scene in
            scene.upload = .tus(TusOptions(parallelism: 2))
            scene.upload.pieceSize = .fixed(500_000)
            scene.origin.fail(nil, nil, nil, .cut(after: 5))
            let error = try await scene.failing()
            #expect(error.code == .connectionClosed)
            let uploaded = try await scene.send()
            #expect(uploaded.resumedOffset >= 1_000_000)
            #expect(scene.origin.files == [scene.bytes])
        }
    }

    @Test func `without the extensions of tus there is one part and a creation without content`() async throws {
        try await UploadTestScene.run(UploadOrigin(extensions: "creation"), byteCount: 3 << 20) { scene in
            scene.upload = .tus(TusOptions(parallelism: 4))
            scene.upload.digestsPieces = true
            _ = try await scene.send()
            let requests = scene.origin.requests
            #expect(requests.filter { $0.method == .post }.map(\.bodyByteCount) == [0])
            #expect(requests.allSatisfy { $0.headers[.checksum] == nil })
            #expect(scene.origin.files == [scene.bytes])
        }
    }

    @Test(
        arguments: [
            (["Tus-Max-Size": "999"], SessionError.Code.uploadTooLarge),
            (["Tus-Version": "0.2.2,2.0.0"], .uploadProtocolFailed),
        ] as [([String: String], SessionError.Code)]
    )
    func `what a server cannot take is refused before a byte is sent`(
        _ fields: [String: String],
        _ code: SessionError.Code
    ) async throws {
        var headers = HTTPFields()
        for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
        try await UploadTestScene.run(UploadOrigin(fields: headers)) { scene in
            let error = try await scene.failing()
            #expect(error.code == code)
            #expect(scene.origin.methods == ["OPTIONS"])
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test func `a server without the draft is an error`() async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true)) { scene in
            scene.server.respond(to: "/files") { _ in ScriptedResponse(status: .ok) }
            let error = try await scene.failing()
            #expect(error.code == .uploadProtocolFailed)
        }
    }

    @Test func `limits of the draft bound the pieces`() async throws {
        var fields = HTTPFields()
        fields[.limit] = "max-append-size=100"
        try await UploadTestScene.run(UploadOrigin(isDraft: true, fields: fields)) { scene in
            _ = try await scene.send()
            #expect(scene.origin.requests.map(\.bodyByteCount) == [300, 100, 100, 100, 100, 100, 100, 100])
            #expect(scene.origin.files == [scene.bytes])
        }
    }
}
