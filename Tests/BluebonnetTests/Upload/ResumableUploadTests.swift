// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
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

    @Test(arguments: [400, 404, 409, 410, 422, 503], [300, 1000])
    func `a refusal of the whole is an error and ends the upload`(_ status: Int, _ pieceSize: Int64) async throws {
        let retries = RetryPolicy(attempts: 3) { _ in .retry(after: .zero) }
        try await UploadTestScene.run(UploadOrigin(isDraft: true), pieceSize: pieceSize, retries: retries) { scene in
            scene.refuseWhole(with: status)
            let error = try await scene.failing()
            #expect(error.code == .unacceptableStatus)
            #expect(error.status?.code == status)
            #expect(error.uploadRemains == nil)
            #expect(!scene.origin.methods.contains("HEAD"))
            #expect(scene.origin.receivedByteCount == 1000)
            #expect(try scene.directory.names == ["a"])
        }
    }

    /// The fields of a response 104, and whether they are of the version that is spoken.
    @Test(
        arguments: [("", false), ("Upload-Draft-Interop-Version: 3\r\n", false)] + [
            ("Upload-Draft-Interop-Version: 6\r\n", true)
        ]
    )
    func `what another version says of an upload is not taken`(_ field: String, _ isTaken: Bool) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true)) { scene in
            let (origin, isSecond) = (scene.origin, Recorder<Bool>())
            scene.server.respond(to: "/files") { request in
                guard isSecond.elements.isEmpty else { return origin.respond(to: request) }
                isSecond.record(true)
                return .raw("HTTP/1.1 104 Upload Resumption Supported\r\n\(field)Location: /files/0\r\n\r\n")
            }
            let error = try await scene.failing()
            #expect((error.uploadRemains?.url != nil) == isTaken)
            _ = try await scene.send()
            #expect(origin.methods.first == (isTaken ? "HEAD" : "POST"))
            #expect(origin.files == [scene.bytes])
        }
    }

    @Test func `an upload that the server ends too early is an error`() async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true)) { scene in
            let origin = scene.origin
            scene.server.respond(to: "/files/0") { request in
                var response = origin.respond(to: request)
                if request.method == "PATCH" { response.headers[.complete] = "?1" }
                return response
            }
            let error = try await scene.failing()
            #expect(error.code == .uploadProtocolFailed)
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

    @Test func `the draft tells the end with the last piece`() async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true)) { scene in
            let uploaded = try await scene.send()
            let requests = scene.origin.requests
            #expect(requests.map(\.method) == ["POST", "PATCH", "PATCH", "PATCH"])
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

    @Test(arguments: [false, true]) func `a lost upload starts again, or fails`(_ isDraft: Bool) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: isDraft)) { scene in
            scene.origin.fail(nil, .lost)
            let uploaded = try await scene.send()
            #expect(uploaded.restart == .lost)
            #expect(scene.origin.files == [scene.bytes])
            scene.upload.whenLost = .fail
            scene.origin.fail(nil, .lost)
            let error = try await scene.failing()
            #expect(error.code == .uploadLost)
            #expect(error.response?.status.code == 410)
        }
    }

    @Test func `a server that loses every upload is given up`() async throws {
        try await UploadTestScene.run { scene in
            for _ in 0..<10 { scene.origin.fail(nil, .lost) }
            let error = try await scene.failing()
            #expect(error.code == .uploadLost)
            #expect(scene.origin.methods.filter { $0 == "POST" }.count == 4)
        }
    }

    @Test(arguments: [409, 460]) func `a server that never agrees is given up`(_ status: Int) async throws {
        try await UploadTestScene.run(retries: .idempotent(attempts: 4)) { scene in
            scene.origin.fail(nil)
            for _ in 0..<20 { scene.origin.fail(.status(status)) }
            let error = try await scene.failing()
            #expect(error.response?.status.code == status)
            #expect(scene.origin.methods.filter { $0 == "PATCH" }.count == 4)
        }
    }

    /// With the offset in each answer; without it, so that it is asked for; and after a first piece that was acknowledged.
    @Test(arguments: [([0, 0], 0), ([0, nil], 0), ([300, 0], 300), ([300, nil], 300)])
    func `a server that takes every piece and acknowledges none is given up`(
        _ offsets: [Int?],
        _ asked: Int
    ) async throws {
        let pieces = Recorder<String>()
        let transport = StubTransport { request in
            switch request.method {
            case .post: return TransportResponse(status: .created, headers: [.location: "/u"])
            case .patch:
                pieces.record(request.headers[.offset] ?? "")
                let offset = pieces.elements.count == 1 ? offsets[0] : offsets[1]
                return TransportResponse(status: .noContent, headers: offset.map(HTTPFields.having) ?? HTTPFields())
            case .head: return TransportResponse(status: .ok, headers: .having(asked))
            default: return TransportResponse(status: .noContent)
            }
        }
        let directory = try TemporaryDirectory()
        try Data(PatternBytes.bytes(1000)).write(to: directory.file("a"))
        var upload = ResumableUpload.tus()
        upload.pieceSize = .fixed(300)
        let session = Session(transport: transport)
        let request = Request(method: .post, url: try Peer.url("http://h/files"))
        let error = await #expect(throws: SessionError.self) {
            try await session.upload(directory.file("a"), with: request, resuming: upload)
        }
        #expect(error?.code == .uploadProtocolFailed)
        #expect((4...6).contains(pieces.elements.count), "\(pieces.elements)")
    }

    /// The limit holds for each request; it must not keep the upload from going on.
    @Test func `an upload that takes longer than the total limit of a request is tried again`() async throws {
        let clock = ManualSessionClock()
        let pieces = Recorder<String>()
        let transport = StubTransport { request in
            switch request.method {
            case .post: return TransportResponse(status: .created, headers: [.location: "/u"])
            case .patch:
                pieces.record(request.headers[.offset] ?? "")
                clock.advance(by: .seconds(40))
                guard pieces.elements.count != 3 else {
                    throw TransportError(.connectionClosed, phase: .responseHead, reason: "lost", isRequestSent: true)
                }
                let offset = min(1000, (Int(request.headers[.offset] ?? "") ?? 0) + 300)
                return TransportResponse(status: .noContent, headers: .having(offset))
            case .head: return TransportResponse(status: .ok, headers: .having(600))
            default: return TransportResponse(status: .noContent)
            }
        }
        let directory = try TemporaryDirectory()
        try Data(PatternBytes.bytes(1000)).write(to: directory.file("a"))
        var upload = ResumableUpload.tus()
        upload.pieceSize = .fixed(300)
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        configuration.timeouts.total = .seconds(60)
        configuration.retries = .idempotent(attempts: 2)
        configuration.retries.backoff = .none
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(method: .post, url: try Peer.url("http://h/files"))
        let file = try await session.upload(directory.file("a"), with: request, resuming: upload)
        #expect(file.byteCount == 1000)
        #expect(pieces.elements == ["0", "300", "600", "600", "900"])
    }

    @Test func `URLs that are too long to be kept end an upload before it is too late`() async throws {
        let transport = StubTransport { request in
            request.method == .post
                ? TransportResponse(status: .created, headers: [.location: "/" + String(repeating: "u", count: 66_000)])
                : TransportResponse(status: .noContent)
        }
        let directory = try TemporaryDirectory()
        try Data(PatternBytes.bytes(1000)).write(to: directory.file("a"))
        let request = Request(method: .post, url: try Peer.url("http://h/files"))
        let error = await #expect(throws: SessionError.self) {
            try await Session(transport: transport).upload(directory.file("a"), with: request, resuming: .tus())
        }
        #expect(error?.code == .uploadProtocolFailed)
        #expect(!transport.requests.contains { $0.method == .patch })
    }

    @Test(arguments: [5, 100_000]) func `an offset that cannot be is not believed`(_ offset: Int) async throws {
        try await UploadTestScene.run { scene in
            scene.origin.fail(nil, .lie(offset))
            _ = try await scene.send()
            #expect(scene.origin.methods == ["OPTIONS", "POST", "PATCH", "HEAD", "PATCH", "PATCH"])
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
            #expect(requests.filter { $0.method == "POST" }.map(\.bodyByteCount) == [0])
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
