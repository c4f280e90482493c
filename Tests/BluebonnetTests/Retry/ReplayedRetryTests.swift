// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Recorded calls that were made of several attempts.
struct ReplayedRetryTests {
    @Test(.bug(id: "F391")) func `a POST that was repeated because it was not sent is repeated in the replay`()
        async throws
    {
        let count = Recorder<Int>()
        let recorder = RecordingTransport(
            wrapping: StubTransport { _ in
                count.record(1)
                guard count.elements.count > 1 else {
                    throw TransportError(.connectFailed, phase: .connect, reason: "refused")
                }
                return .plain("made", status: 201)
            }
        )
        var configuration = Session.Configuration()
        configuration.retries = .immediate()
        let request = try RetryTable.request("POST", body: "data")
        let recorded = try await Session(configuration: configuration, transport: recorder).response(for: request)
        #expect(recorded.status == .created && recorded.failedAttempts.count == 1)
        let replay = ReplayTransport(try HTTPArchive(parsing: recorder.archive.serialized()))
        let replayed = try await Session(configuration: configuration, transport: replay).response(for: request)
        #expect(replayed.status == .created && replayed.failedAttempts.count == 1)
        #expect(replay.unusedEntries.isEmpty)
    }
}
