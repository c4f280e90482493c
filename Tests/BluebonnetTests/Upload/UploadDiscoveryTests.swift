// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// What a server of tus says about itself, when it says it late.
@Suite(.timeLimit(.minutes(1))) struct UploadDiscoveryTests {
    /// Serves uploads, but refuses the first requests for the server's capabilities.
    private static func refuseDiscovery(_ scene: UploadTestScene, _ refusals: [Int]) {
        let (origin, refused) = (scene.origin, Recorder<Int>())
        scene.server.respond(to: "/files") { request in
            guard request.method == .options, refused.elements.count < refusals.count else {
                return origin.respond(to: request)
            }
            let status = refusals[refused.elements.count]
            refused.record(status)
            return ScriptedResponse(status: .init(code: status))
        }
    }

    /// The requests that carry bytes without their digest.
    private static func undigested(_ scene: UploadTestScene) -> [RecordedRequest] {
        scene.origin.requests.filter { $0.bodyByteCount > 0 && $0.headers[.checksum] == nil }
    }

    @Test(.bug(id: "F860"), arguments: [408, 425, 429, 502, 503, 504])
    func `a server that is away for a moment is asked again for its extensions`(_ status: Int) async throws {
        try await UploadTestScene.run(retries: .idempotent(attempts: 3)) { scene in
            scene.upload.digestsPieces = true
            Self.refuseDiscovery(scene, [status, status])
            _ = try await scene.send()
            #expect(scene.origin.files == [scene.bytes])
            #expect(Self.undigested(scene).isEmpty)
        }
    }

    @Test(.bug(id: "F860")) func `an upload that was not created asks the next time, too`() async throws {
        try await UploadTestScene.run { scene in
            scene.upload.digestsPieces = true
            Self.refuseDiscovery(scene, [503])
            #expect(try await scene.failing().status?.code == 503)
            // Now the server has answered, but creates nothing.
            scene.origin.fail(.status(503))
            #expect(try await scene.failing().status?.code == 503)
            _ = try await scene.send()
            #expect(scene.origin.methods == ["OPTIONS", "POST", "OPTIONS", "POST", "PATCH", "PATCH", "PATCH"])
            #expect(Self.undigested(scene).isEmpty)
        }
    }

    @Test(.bug(id: "F860"), arguments: [404, 405, 500, 501])
    func `a server that describes nothing gets the upload all the same`(_ status: Int) async throws {
        try await UploadTestScene.run { scene in
            Self.refuseDiscovery(scene, [status])
            _ = try await scene.send()
            #expect(scene.origin.files == [scene.bytes])
        }
    }
}
