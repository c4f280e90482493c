// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// Servers that refuse uploads, lose them, or say what cannot be.
@Suite(.timeLimit(.minutes(2))) struct UploadFaultTests {
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
                if request.method == .patch { response.headers[.complete] = "?1" }
                return response
            }
            let error = try await scene.failing()
            #expect(error.code == .uploadProtocolFailed)
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

    @Test(.bug(id: "F565")) func `a server that takes no piece is given up before the first one`() async throws {
        var fields = HTTPFields()
        fields[.limit] = "max-append-size=0"
        let origin = UploadOrigin(isDraft: true, fields: fields)
        try await UploadTestScene.run(origin) { scene in
            let error = try await scene.failing()
            #expect(error.code == .uploadProtocolFailed)
            #expect(origin.methods == ["POST"])
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

    /// A server of tus with one upload, at `/u`.
    ///
    /// - Parameters:
    ///   - asked: The offset that it tells when it is asked.
    ///   - piece: The fields that it answers a piece with.
    /// - Returns: What answers as it does.
    private static func server(
        asked: Int,
        piece: @escaping @Sendable (TransportRequest) throws -> HTTPFields
    ) -> StubTransport {
        StubTransport { request in
            switch request.method {
            case .post: TransportResponse(status: .created, headers: [.location: "/u"])
            case .patch: TransportResponse(status: .noContent, headers: try piece(request))
            case .head: TransportResponse(status: .ok, headers: .having(asked))
            default: TransportResponse(status: .noContent)
            }
        }
    }

    /// With the offset in each answer; without it, so that it is asked for; and after a first piece that was acknowledged.
    @Test(arguments: [([0, 0], 0), ([0, nil], 0), ([300, 0], 300), ([300, nil], 300)])
    func `a server that takes every piece and acknowledges none is given up`(
        _ offsets: [Int?],
        _ asked: Int
    ) async throws {
        let pieces = Recorder<String>()
        let transport = Self.server(asked: asked) { request in
            pieces.record(request.headers[.offset] ?? "")
            let offset = pieces.elements.count == 1 ? offsets[0] : offsets[1]
            return offset.map(HTTPFields.having) ?? HTTPFields()
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

    /// With the offset in each answer; and without it, so that it is asked for.
    @Test(.bug(id: "F222"), arguments: [true, false])
    func `a server that has every byte of an upload and never completes it is given up`(
        _ tellsOffset: Bool
    ) async throws {
        let closings = Recorder<String>()
        let transport = StubTransport { request in
            var headers = HTTPFields.having(1000)
            headers[.complete] = "?0"
            switch request.method {
            case .post:
                headers[.location] = "/u"
                return TransportResponse(status: .created, headers: headers)
            case .patch:
                closings.record(request.headers[.offset] ?? "")
                if !tellsOffset { headers[.offset] = nil }
                // A client that goes on for ever must not keep the test from its end.
                let isEnough = closings.elements.count > 50
                return TransportResponse(status: isEnough ? .badRequest : .noContent, headers: headers)
            default:
                return TransportResponse(status: .noContent, headers: headers)
            }
        }
        let directory = try TemporaryDirectory()
        try Data(PatternBytes.bytes(1000)).write(to: directory.file("a"))
        var upload = ResumableUpload.draft()
        upload.pieceSize = .whole
        let session = Session(transport: transport)
        let request = Request(method: .post, url: try Peer.url("http://h/files"))
        let error = await #expect(throws: SessionError.self) {
            try await session.upload(directory.file("a"), with: request, resuming: upload)
        }
        #expect(error?.code == .uploadProtocolFailed)
        #expect((3...6).contains(closings.elements.count), "\(closings.elements)")
        #expect(closings.elements.allSatisfy { $0 == "1000" })
    }

    /// With the offset in each answer; and without it, so that it is asked for.
    @Test(.bug(id: "F224"), arguments: [true, false])
    func `a server that has lost bytes gets them again, in as many pieces as they take`(
        _ tellsOffset: Bool
    ) async throws {
        let pieces = Recorder<Int>()
        let kept = Mutex(0)
        let transport = StubTransport { request in
            switch request.method {
            case .post:
                return TransportResponse(status: .created, headers: [.location: "/u"])
            case .patch:
                let start = Int(request.headers[.offset] ?? "") ?? 0
                pieces.record(start)
                let isLoss = pieces.elements.count == 7
                let offset = kept.withLock { kept -> Int? in
                    if isLoss { kept = 0 }
                    guard start == kept else { return nil }
                    kept = min(start + 300, 3000)
                    return kept
                }
                guard let offset else { return TransportResponse(status: .conflict) }
                return TransportResponse(status: .noContent, headers: tellsOffset ? .having(offset) : HTTPFields())
            case .head:
                return TransportResponse(status: .ok, headers: .having(kept.withLock { $0 }))
            default:
                return TransportResponse(status: .noContent)
            }
        }
        let directory = try TemporaryDirectory()
        try Data(PatternBytes.bytes(3000)).write(to: directory.file("a"))
        var upload = ResumableUpload.tus()
        upload.pieceSize = .fixed(300)
        let request = Request(method: .post, url: try Peer.url("http://h/files"))
        let file = try await Session(transport: transport)
            .upload(directory.file("a"), with: request, resuming: upload)
        #expect(file.byteCount == 3000)
        let expected = Array(stride(from: 0, through: 1800, by: 300)) + Array(stride(from: 0, to: 3000, by: 300))
        #expect(pieces.elements == expected)
    }

    /// The limit holds for each request; it must not keep the upload from going on.
    @Test func `an upload that takes longer than the total limit of a request is tried again`() async throws {
        let clock = ManualSessionClock()
        let pieces = Recorder<String>()
        let transport = Self.server(asked: 600) { request in
            pieces.record(request.headers[.offset] ?? "")
            clock.advance(by: .seconds(40))
            guard pieces.elements.count != 3 else {
                throw TransportError(.connectionClosed, phase: .responseHead, reason: "lost", isRequestSent: true)
            }
            return .having(min(1000, (Int(request.headers[.offset] ?? "") ?? 0) + 300))
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

    @Test(.bug(id: "F336"), arguments: [false, true], [500, 502, 503, 504])
    func `a creation that carries the whole file is not repeated after a status that leaves its effect open`(
        _ isDraft: Bool,
        _ status: Int
    ) async throws {
        let origin = UploadOrigin(isDraft: isDraft)
        try await UploadTestScene.run(origin, byteCount: 100, retries: .idempotent(attempts: 4)) { scene in
            scene.concealURL()
            origin.fail(.status(status), .status(status))
            let error = try await scene.failing()
            #expect(error.status?.code == status)
            #expect(origin.methods.filter { $0 == "POST" }.count == 1)
        }
    }

    @Test(.bug(id: "F336"), arguments: [false, true], [408, 423, 425, 429])
    func `a creation is repeated after a status that says that nothing was processed`(
        _ isDraft: Bool,
        _ status: Int
    ) async throws {
        let origin = UploadOrigin(isDraft: isDraft)
        try await UploadTestScene.run(origin, byteCount: 100, retries: .idempotent(attempts: 4)) { scene in
            scene.concealURL()
            origin.fail(.status(status), .status(status))
            _ = try await scene.send()
            #expect(origin.files == [scene.bytes])
            #expect(origin.methods.filter { $0 == "POST" }.count == 3)
        }
    }

    @Test(.bug(id: "F336")) func `parts are not joined again after a status that leaves its effect open`() async throws
    {
        let origin = UploadOrigin()
        let (byteCount, retries) = (2 * 1024 * 1024, RetryPolicy.idempotent(attempts: 4))
        try await UploadTestScene.run(origin, byteCount: byteCount, retries: retries) { scene in
            scene.upload = .tus(TusOptions(parallelism: 2))
            let joins = Recorder<Int>()
            scene.server.respond(to: "/files") { request in
                guard request.headers[.concat]?.hasPrefix("final") == true else { return origin.respond(to: request) }
                joins.record(1)
                guard joins.elements.count < 3 else { return origin.respond(to: request) }
                return ScriptedResponse(status: joins.elements.count == 1 ? .gatewayTimeout : .tooManyRequests)
            }
            let error = try await scene.failing()
            #expect(error.status == .gatewayTimeout)
            #expect(joins.elements.count == 1)
            // The next call joins them, and may repeat what was not processed.
            _ = try await scene.send()
            #expect(joins.elements.count == 3)
            #expect(origin.files == [scene.bytes])
        }
    }
}
