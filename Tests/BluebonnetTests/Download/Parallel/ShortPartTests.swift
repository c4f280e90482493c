// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Downloads in parts from a server that sends less than it was asked for (RFC 9110 section 15.3.7).
@Suite(.timeLimit(.minutes(1))) struct ShortPartTests {
    @Test(.bug(id: "F297"), arguments: [ScriptedResponse.Framing.length, .chunked(byteCount: 300)])
    func `a part that is shorter than it was asked for is followed by another one`(
        _ framing: ScriptedResponse.Framing
    ) async throws {
        try await DownloadScene.run { scene in
            let origin = ParallelDownloadTests.origin(64_000)
            var parts = origin
            parts.framing = framing
            let capped = parts
            let served = scene.serve("/file") { request in
                guard request.headers[.range] != nil else {
                    // So that the first response does not bring the rest.
                    return origin.response(to: request, .close(.afterBody(1_000)))
                }
                return capped.response(to: request, cappedAt: 1_000)
            }
            let file = try await scene.download(policy: ParallelDownloadTests.policy(4, smallest: 16_000))
            #expect(file.restart == nil)
            #expect(file.byteCount == origin.byteCount)
            #expect(file.rangeCount == served.requests.count)
            #expect(served.ranges.filter { $0 == nil }.count == 1)
            #expect(try scene.directory.contents("a") == origin.bytes)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test(.bug(id: "F297"), arguments: [ScriptedResponse.Framing.length, .chunked(byteCount: 4_000)])
    func `holes are filled by parts that are shorter than the holes`(
        _ framing: ScriptedResponse.Framing
    ) async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 100_000)
            var parts = origin
            parts.framing = framing
            let capped = parts
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(60_000))) },
                { capped.response(to: $0, cappedAt: 15_000) }
            )
            #expect(try await scene.failing().downloadRemains?.byteCount == 60_000)
            // As a download in parts leaves it that was killed.
            let path = scene.directory.file("\(ResumableDownloadTests.partialName).journal")
            var journal = try #require(DownloadJournal(Array(try Data(contentsOf: path))))
            journal.written = [.init(from: 0, to: 20_000), .init(from: 40_000, to: 60_000)]
            try Data(try journal.encoded()).write(to: path)

            let file = try await scene.download(policy: ParallelDownloadTests.policy(1))
            #expect(file.resumedOffset == 40_000)
            #expect(file.restart == nil)
            #expect(
                served.ranges == [
                    nil, "bytes=20000-39999", "bytes=35000-39999", "bytes=60000-99999", "bytes=75000-99999",
                    "bytes=90000-99999",
                ]
            )
            #expect(file.rangeCount == 5)
            #expect(try scene.directory.contents("a") == origin.bytes)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test func `a part whose body is shorter than it announces is an error`() async throws {
        try await DownloadScene.run { scene in
            let origin = ParallelDownloadTests.origin(64_000)
            _ = scene.serve("/file") { request in
                guard request.headers[.range] != nil else {
                    return origin.response(to: request, .close(.afterBody(1_000)))
                }
                var response = origin.response(to: request)
                if case .bytes(let bytes) = response.body { response.body = .bytes(Array(bytes.prefix(1_000))) }
                response.framing = .chunked(byteCount: 300)
                return response
            }
            let error = try await scene.failing(policy: ParallelDownloadTests.policy(4, smallest: 16_000))
            #expect([.connectionClosed, .incompleteDownload].contains(error.code))
            #expect(error.downloadRemains?.resumeData != nil)
        }
    }
}

extension RangeOrigin {
    /// Responds with the beginning of the requested range.
    fileprivate func response(to request: RecordedRequest, cappedAt byteCount: Int64) -> ScriptedResponse {
        let ends = request.headers[.range]?.dropFirst("bytes=".count).split(separator: "-") ?? []
        guard let first = ends.first.flatMap({ Int64($0) }) else { return self.response(to: request) }
        let last = ends.dropFirst().first.flatMap { Int64($0) } ?? self.byteCount - 1
        let range = "bytes=\(first)-\(min(last, first + byteCount - 1))"
        return self.response(range: range, condition: request.headers[.ifRange])
    }
}
