// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// Servers that redirect the requests of an upload.
@Suite(.timeLimit(.minutes(1))) struct UploadRedirectTests {
    /// The request of an upload that is redirected.
    enum Step: String, CaseIterable, CustomTestStringConvertible {
        case draftCreation, draftPiece, tusCreation, tusPiece, tusJoin, termination

        var testDescription: String { self.rawValue }

        var isDraft: Bool { self == .draftCreation || self == .draftPiece }

        var isPiece: Bool { self == .draftPiece || self == .tusPiece }

        var byteCount: Int { self == .tusJoin ? 2 * 1024 * 1024 : 1000 }

        func isTaken(_ request: RecordedRequest) -> Bool {
            switch self {
            case .draftCreation, .tusCreation: request.method == .post
            case .draftPiece, .tusPiece: request.method == .patch
            case .tusJoin: request.headers[.concat]?.hasPrefix("final") == true
            case .termination: request.method == .delete
            }
        }
    }

    /// Serves the origin, except for a request that it redirects to a page of its own.
    private static func redirect(_ scene: UploadTestScene, _ step: Step, _ status: Int, _ pages: Recorder<String>) {
        let origin = scene.origin
        for path in ["/files"] + (0..<4).map({ "/files/\($0)" }) {
            scene.server.respond(to: path) { request in
                guard step.isTaken(request) else { return origin.respond(to: request) }
                return ScriptedResponse(status: .init(code: status), headers: [.location: "/login"])
            }
        }
        scene.server.respond(to: "/login") { request in
            pages.record(request.method.rawValue)
            return ScriptedResponse(body: "<html></html>")
        }
    }

    /// 301 and 302 change POST alone.
    @Test(
        .bug(id: "F393"),
        arguments: Step.allCases.flatMap { step in
            (step.isPiece || step == .termination ? [303] : [301, 302, 303]).map { (step, $0) }
        }
    )
    func `a redirect that drops the body is no upload`(_ step: Step, _ status: Int) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: step.isDraft), byteCount: step.byteCount) { scene in
            if step == .tusJoin { scene.upload = .tus(TusOptions(parallelism: 2)) }
            scene.upload.pieceSize = step.isPiece || step == .termination ? .fixed(300) : .whole
            scene.upload.removesFile = true
            let pages = Recorder<String>()
            Self.redirect(scene, step, status, pages)
            if step == .termination {
                scene.origin.fail(nil, .status(503))
                _ = try await scene.failing()
                let error = await #expect(throws: SessionError.self) {
                    try await scene.session.discardUpload(of: scene.file, with: scene.request(), resuming: scene.upload)
                }
                #expect(error?.status?.code == status)
            } else {
                let error = try await scene.failing()
                #expect(error.code == .unacceptableStatus)
                #expect(error.status?.code == status)
                #expect(error.reason.contains("redirects"))
            }
            #expect(pages.elements == [])
            #expect(try scene.directory.names.count == 3)
            #expect(try scene.directory.contents("a") == scene.bytes)
        }
    }

    @Test(.bug(id: "F393"), arguments: [300, 5000])
    func `a draft server may name another place for the result of a complete upload`(_ pieceSize: Int64) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true), pieceSize: pieceSize) { scene in
            let (origin, pages) = (scene.origin, Recorder<String>())
            for path in ["/files", "/files/0"] {
                scene.server.respond(to: path) { request in
                    var response = origin.respond(to: request)
                    guard response.headers[.complete] == "?1" else { return response }
                    response.status = .seeOther
                    response.headers[.location] = "/result"
                    return response
                }
            }
            scene.server.respond(to: "/result") { request in
                pages.record(request.method.rawValue)
                return ScriptedResponse(body: "done")
            }
            let uploaded = try await scene.send()
            #expect(uploaded.response?.status == .seeOther)
            #expect(uploaded.response?.headers[.location] == "/result")
            #expect(uploaded.url?.path() == "/files/0")
            #expect(pages.elements == [])
            #expect(origin.files == [scene.bytes])
            #expect(try scene.directory.names == ["a"])
        }
    }

    /// A server that keeps the first bytes of a creation, and says so before the connection breaks.
    private static func breakCreation(_ origin: UploadOrigin, on server: TestServer, location: String) {
        let isSecond = Recorder<Bool>()
        origin.base.withLock { $0 = server.url }
        origin.serve(on: server)
        server.respond(to: "/files") { request in
            guard isSecond.elements.isEmpty else { return origin.respond(to: request) }
            isSecond.record(true)
            // A redirect to another origin has dropped the fields that the origin needs.
            origin.state.withLock { state in
                state.requests.append(request)
                state.uploads["/files/0"] = .init(length: 1000, bytes: Array(request.body.prefix(100)))
            }
            return .raw(
                "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 6\r\n"
                    + "Location: \(location)\r\n\r\n"
            )
        }
    }

    @Test(.bug(id: "F395"), arguments: [false, true], ["files/0", "/files/0", "absolute"])
    func `the location of a 104 behind a redirect is that of the server that sent it`(
        _ isCrossOrigin: Bool,
        _ location: String
    ) async throws {
        let retries = RetryPolicy.idempotent(attempts: 3)
        try await UploadTestScene.run(UploadOrigin(isDraft: true), pieceSize: 5000, retries: retries) { scene in
            try await TestServer.withServer { other in
                let (origin, server) = (scene.origin, isCrossOrigin ? other : scene.server)
                let location = location == "absolute" ? "\(server.url)/files/0" : location
                Self.breakCreation(origin, on: server, location: location)
                scene.server.respond(to: "/a/b/entry") { _ in
                    ScriptedResponse(status: .init(code: 307), headers: [.location: "\(server.url)/files"])
                }
                let url = try Peer.url("\(scene.server.url)/a/b/entry")
                let request = Request(method: .post, url: url, headers: [.authorization: "Bearer s3cret"])
                let file = try await scene.session.upload(scene.file, with: request, resuming: scene.upload)
                #expect(origin.methods == ["POST", "HEAD", "PATCH"])
                #expect(origin.files == [scene.bytes])
                #expect(file.url?.absoluteString == "\(server.url)/files/0")
                let isKept = origin.requests.map { $0.headers[.authorization] != nil }
                #expect(isKept == Array(repeating: !isCrossOrigin, count: 3))
            }
        }
    }
}
