// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import TestSupport
import Testing

/// What a replay has in common with its recording, and what it costs.
@Suite(.serialized) struct ReplayFidelityTests {
    private static let digest = HTTPField.Name("Repr-Digest")
    private static let token = HTTPField.Name("X-Token")

    @Test(.bug(id: "F655")) func `trailer fields are recorded, written, read and replayed`() async throws {
        let (digest, token) = (try #require(Self.digest), try #require(Self.token))
        try await TestServer.withServer { server in
            var scripted = ScriptedResponse(body: "data")
            scripted.framing = .chunked(byteCount: 2)
            scripted.trailers = [digest: "sha-256=:AAAA:", token: "hidden"]
            server.enqueue(scripted)
            let recorder = RecordingTransport(wrapping: NIOTransport.shared)
            let request = TransportRequest(
                origin: Origin(scheme: .http, host: server.host, port: server.port),
                target: "/"
            )
            _ = try await recorder.exchange(request).body.collect(upTo: 100)
            let replay = ReplayTransport(try HTTPArchive(parsing: recorder.archive.serialized()))
            let body = try await replay.exchange(request).body
            _ = try await body.collect(upTo: 100)
            #expect(body.trailers == [digest: "sha-256=:AAAA:", token: "REDACTED"])
        }
    }

    @Test(.bug(id: "F655"), arguments: [#"{"token":"hidden"}"#, #"{"id":1}"#])
    func `a digest of a body that was replaced is left out`(_ content: String) async throws {
        let digest = try #require(Self.digest)
        let stub = StubTransport { _ in
            TransportResponse(
                status: .ok,
                headers: [.contentType: "application/json", digest: "sha-256=:AAAA:"],
                body: ResponseBody(ByteBuffer(string: content), trailers: [digest: "sha-256=:AAAA:"])
            )
        }
        let recorder = RecordingTransport(wrapping: stub)
        _ = try await recorder.exchange(ReplayTransportTests.request(.get, "/")).body.collect(upTo: 100)
        let response = try #require(recorder.archive.entries.first?.response)
        let isReplaced = content.contains("hidden")
        #expect(response.headers[digest] == (isReplaced ? nil : "sha-256=:AAAA:"))
        #expect(response.trailers.isEmpty == isReplaced)
    }

    @Test(.bug(id: "F653"), arguments: [ReplayTransport.Matching.inOrder, .anyOrder])
    func `the time of a replay grows with the number of exchanges and no faster`(
        _ matching: ReplayTransport.Matching
    ) async throws {
        let body = "[" + Array(repeating: #"{"id":1,"token":"t","name":"abc"}"#, count: 30).joined(separator: ",") + "]"
        func seconds(_ count: Int) async throws -> Duration {
            let entries = (0..<count).map { ReplayTransportTests.entry(.post, "/\($0)", body, answer: "ok") }
            let archive = HTTPArchive(entries: entries)
            var least = Duration.seconds(1_000)
            for _ in 0..<2 {
                let start = ContinuousClock.now
                let replay = ReplayTransport(archive, matching: matching)
                for index in 0..<count {
                    _ = try await replay.exchange(ReplayTransportTests.request(.post, "/\(index)", body))
                }
                least = min(least, ContinuousClock.now - start)
            }
            return least
        }
        let (few, many) = (try await seconds(5), try await seconds(5 * (Scaling.factors.last ?? 8)))
        #expect(many / few < Scaling.largestGrowth, "\(few), \(many)")
    }

    @Test(
        .bug(id: "F836"),
        arguments: [
            ("/a", "other", "its entries with this method and URL have another body (entry 1)"),
            ("/c", "", "none of its entries has this method and URL"),
        ]
    )
    func `the error of a replay in any order speaks of no order`(
        _ target: String,
        _ body: String,
        _ reason: String
    ) async throws {
        let archive = HTTPArchive(entries: [
            ReplayTransportTests.entry(.get, "/b", answer: "1"), ReplayTransportTests.entry(.post, "/a", answer: "2"),
        ])
        let request = ReplayTransportTests.request(.post, target, body)
        let transport = ReplayTransport(archive, matching: .anyOrder)
        let error = await #expect(throws: TransportError.self) { try await transport.exchange(request) }
        #expect(error?.reason == "the archive has no answer for POST https://h.test\(target): \(reason)")
        let ruled = ReplayTransport(archive, matching: .rule { _, _ in false })
        let refusal = await #expect(throws: TransportError.self) { try await ruled.exchange(request) }
        #expect(refusal?.reason.hasSuffix(": the rule accepts none of its entries") == true)
    }
}
