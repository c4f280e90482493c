// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import Testing

@testable import Bluebonnet

/// What observers learn of a resumable upload, and how often it may be repeated.
@Suite(.timeLimit(.minutes(1))) struct UploadEventTests {
    /// Keeps the events of the upload's own call, in words.
    private struct Events: SessionObserver {
        let recorder = Recorder<String>()
        let number: Recorder<Call.ID> = Recorder()

        func observe(_ event: CallEvent, of call: Call) {
            // The call of the upload is the first one that begins.
            if case .callStarted = event { self.number.record(call.id) }
            guard call.id == self.number.elements.first else { return }
            switch event {
            case .upload(.resumed(let offset, let total)): self.recorder.record("resumed \(offset) of \(total)")
            case .upload(.acknowledged(let count, let total)): self.recorder.record("has \(count) of \(total)")
            case .upload(.restarted(let reason)): self.recorder.record("restarted \(reason)")
            case .upload(.finished(let count)): self.recorder.record("finished \(count)")
            case .retryScheduled(let attempt):
                self.recorder.record("retry \(attempt.number) after \(attempt.status?.code ?? 0)")
            case .retryRefused(let refusal): self.recorder.record("refused \(refusal)")
            case .callEnded: self.recorder.record("ended")
            case .callFailed(let error): self.recorder.record("failed \(error.code)")
            default: break
            }
        }
    }

    private static func events(
        _ scene: UploadTestScene,
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) async -> [String] {
        let events = Events()
        var configuration = Session.Configuration()
        configuration.retries = .idempotent(attempts: 3)
        configuration.retries.backoff = .none
        configuration.observers = [events]
        change(&configuration)
        let session = Session(configuration: configuration, transport: scene.session.transport)
        if let request = try? scene.request() {
            _ = try? await session.upload(scene.file, with: request, resuming: scene.upload)
        }
        return events.recorder.elements
    }

    @Test(arguments: [false, true]) func `each acknowledged piece is told, and the end`(_ isDraft: Bool) async throws {
        try await UploadTestScene.run(UploadOrigin(isDraft: isDraft)) { scene in
            let events = await Self.events(scene)
            #expect(
                events == [
                    "has 300 of 1000", "has 600 of 1000", "has 900 of 1000", "has 1000 of 1000", "finished 1000",
                    "ended",
                ]
            )
        }
    }

    @Test func `what is sent again is told, and an upload that goes on says where`() async throws {
        try await UploadTestScene.run { scene in
            scene.origin.fail(nil, .status(503), nil, .status(403))
            var events = await Self.events(scene)
            #expect(
                events == ["has 300 of 1000", "retry 1 after 503", "has 600 of 1000", "failed unacceptableStatus"]
            )
            scene.origin.fail(nil, .lost)
            events = await Self.events(scene)
            #expect(
                events == [
                    "resumed 600 of 1000", "has 900 of 1000", "restarted lost", "has 300 of 1000", "has 600 of 1000",
                    "has 900 of 1000", "has 1000 of 1000", "finished 1000", "ended",
                ]
            )
        }
    }

    @Test func `the attempts and the budget of the session end an upload`() async throws {
        try await UploadTestScene.run { scene in
            scene.origin.fail(nil, .status(503), .status(503), .status(503))
            let events = await Self.events(scene)
            #expect(
                events == [
                    "has 300 of 1000", "retry 1 after 503", "retry 2 after 503", "refused attempts",
                    "failed unacceptableStatus",
                ]
            )
            scene.origin.fail(.status(503))
            let spent = await Self.events(scene) { $0.retryBudget = RetryBudget(share: 0, minimumPerSecond: 0) }
            #expect(spent == ["resumed 300 of 1000", "refused budget", "failed unacceptableStatus"])
            scene.origin.fail(.status(503, [.retryAfter: "100"]))
            let late = await Self.events(scene)
            #expect(late == ["resumed 300 of 1000", "refused retryAfter", "failed unacceptableStatus"])
        }
    }

    @Test func `a client of a service uploads to a path, with its header fields and progress`() async throws {
        try await UploadTestScene.run { scene in
            let api = HTTPSession(baseURL: try Peer.url(scene.server.url), session: scene.session)
            let steps = Recorder<TransferProgress>()
            let uploaded = try await api.upload(
                scene.file,
                to: "files",
                headers: [.authorization: "Bearer abc"],
                resuming: scene.upload
            ) { steps.record($0) }
            #expect(uploaded.byteCount == 1000)
            #expect(scene.origin.files == [scene.bytes])
            #expect(scene.origin.requests.allSatisfy { $0.headers[.authorization] == "Bearer abc" })
            #expect(steps.elements.last == TransferProgress(completed: 1000, total: 1000))
        }
    }
}
