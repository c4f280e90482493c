// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Offsets in the response to the last piece, which says by itself that the upload has ended.
@Suite(.timeLimit(.minutes(1))) struct UploadOffsetTests {
    /// The origin, without the field that says whether the upload is complete in its responses to pieces.
    private static func concealEnd(of scene: UploadTestScene) {
        let origin = scene.origin
        for path in ["/files", "/files/0"] {
            scene.server.respond(to: path) { request in
                var response = origin.respond(to: request)
                if request.method != .head { response.headers[.complete] = nil }
                return response
            }
        }
    }

    /// Faults of the pieces of 300 bytes before the last one, or none before the only piece.
    private static func lie(_ offset: Int, pieceSize: Int64, to scene: UploadTestScene) {
        if pieceSize == 300 { scene.origin.fail(nil, nil, nil) }
        scene.origin.fail(.lie(offset))
    }

    /// The only piece and the last one of four; offsets before its beginning, in it, and beyond the end.
    private static let lies: [(Int64, Int)] = [(5000, 10), (5000, 2000), (300, 5), (300, 950), (300, 2000)]

    @Test(.bug(id: "F394"), arguments: lies)
    func `an offset that is not the end does not complete a draft upload`(
        _ pieceSize: Int64,
        _ offset: Int
    ) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true), pieceSize: pieceSize) { scene in
            scene.upload.removesFile = true
            Self.lie(offset, pieceSize: pieceSize, to: scene)
            let error = try await scene.failing()
            #expect(error.code == .uploadProtocolFailed)
            #expect(try scene.directory.names.count == 3)
            // The server is asked by the next call, and has all of it.
            _ = try await scene.send()
            #expect(scene.origin.methods.last == "HEAD")
            #expect(try scene.directory.names == [])
        }
    }

    @Test(.bug(id: "F394"), arguments: lies)
    func `an offset that is not the end is asked for again when the server does not say that it is complete`(
        _ pieceSize: Int64,
        _ offset: Int
    ) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true), pieceSize: pieceSize) { scene in
            Self.concealEnd(of: scene)
            Self.lie(offset, pieceSize: pieceSize, to: scene)
            _ = try await scene.send()
            #expect(scene.origin.methods.last == "HEAD")
            #expect(scene.origin.files == [scene.bytes])
        }
    }

    @Test(.bug(id: "F394"), arguments: [300, 5000])
    func `a draft server that takes a part of the last piece gets the rest`(_ pieceSize: Int64) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: true), pieceSize: pieceSize) { scene in
            Self.concealEnd(of: scene)
            if pieceSize == 300 { scene.origin.fail(nil, nil, nil) }
            scene.origin.fail(.short(50))
            _ = try await scene.send()
            #expect(scene.origin.methods.last == "PATCH")
            #expect(scene.origin.files == [scene.bytes])
        }
    }

    @Test(.bug(id: "F394"), arguments: [300, 5000])
    func `the response to the last piece needs no field of the draft`(_ pieceSize: Int64) async throws {
        for isOffsetKept in [false, true] {
            try await UploadTestScene.run(UploadOrigin(isDraft: true), pieceSize: pieceSize) { scene in
                let origin = scene.origin
                for path in ["/files", "/files/0"] {
                    scene.server.respond(to: path) { request in
                        var response = origin.respond(to: request)
                        guard response.headers[.complete] == "?1" else { return response }
                        response.headers[.complete] = nil
                        if !isOffsetKept { response.headers[.offset] = nil }
                        return response
                    }
                }
                _ = try await scene.send()
                #expect(!origin.methods.contains("HEAD"))
                #expect(origin.files == [scene.bytes])
            }
        }
    }
}
