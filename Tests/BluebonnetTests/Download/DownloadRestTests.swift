// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

/// What servers answer to the request for the rest of a download.
@Suite(.timeLimit(.minutes(1))) struct DownloadRestTests {
    /// RFC 9110 section 14.4: `*` says that the length is not known, and a part may be any part of what was asked for.
    @Test func `a part of a whole of unknown length is not its end before the server says so`() async throws {
        try await DownloadScene.run(DownloadGoingOnTests.configuration(attempts: 2)) { scene in
            let origin = RangeOrigin(byteCount: 1000, framing: .chunked(byteCount: 50))
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(100))) },
                { _ in
                    var response = origin.response(range: "bytes=100-499", condition: nil)
                    response.headers[.contentRange] = "bytes 100-499/*"
                    return response
                },
                { origin.response(to: $0) }
            )
            _ = try await scene.download(policy: .resuming)
            #expect(served.ranges == [nil, "bytes=100-", "bytes=500-"])
            #expect(try scene.directory.contents("a") == origin.bytes)
            try FileManager.default.removeItem(at: scene.directory.file("a"))
            // And where there is no more, the server says that.
            let whole = scene.serve(
                "/whole",
                { origin.response(to: $0, .close(.afterBody(100))) },
                { request in
                    var response = origin.response(to: request)
                    if response.status == .partialContent { response.headers[.contentRange] = "bytes 100-999/*" }
                    return response
                }
            )
            _ = try await scene.download("/whole", policy: .resuming)
            #expect(whole.ranges == [nil, "bytes=100-", "bytes=1000-"])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test(.bug(id: "F492"), arguments: [ScriptedResponse.Framing.untilClose, .chunked(byteCount: 100)], [false, true])
    func `a part of unknown total that ends early is not the whole`(
        _ framing: ScriptedResponse.Framing,
        _ goesOn: Bool
    ) async throws {
        var configuration = goesOn ? DownloadGoingOnTests.configuration() : Session.Configuration()
        if goesOn { configuration.retries.failures.insert(.init(.incompleteDownload)) }
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(byteCount: 4000, framing: .chunked(byteCount: 100))
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(1000))) },
                { _ in
                    var response = origin.response(range: "bytes=1000-1399", condition: nil)
                    response.headers[.contentRange] = "bytes 1000-3999/*"
                    response.framing = framing
                    return response
                },
                { origin.response(to: $0) }
            )
            if !goesOn {
                try await scene.failing()
                let error = try await scene.failing()
                #expect(error.code == .incompleteDownload)
                #expect(error.downloadRemains?.byteCount == 1400)
                #expect(try !scene.directory.names.contains("a"))
            }
            let file = try await scene.download()
            #expect(file.byteCount == 4000)
            #expect(served.ranges == [nil, "bytes=1000-", "bytes=1400-"])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test(.bug(id: "F492")) func `a part that the caller asked for and that ends early is not saved`() async throws {
        try await DownloadScene.run { scene in
            _ = scene.serve("/file") { _ in
                var response = RangeOrigin(byteCount: 1000).response(range: "bytes=0-99", condition: nil)
                response.headers[.contentRange] = "bytes 0-199/1000"
                response.framing = .untilClose
                return response
            }
            var request = try scene.request()
            request.headers[.range] = "bytes=0-199"
            let sent = request
            let error = await #expect(throws: SessionError.self) {
                try await scene.session.download(sent, to: scene.directory.file("a"))
            }
            #expect(error?.code == .incompleteDownload)
            #expect(try scene.directory.names == [])
        }
    }

    @Test(.bug(id: "F221"), arguments: ["*", "4000"])
    func `a short part is followed by a request for the rest, though an earlier version had more bytes`(
        _ total: String
    ) async throws {
        try await DownloadScene.run(DownloadGoingOnTests.configuration(attempts: 4)) { scene in
            let first = RangeOrigin(byteCount: 4000, framing: .chunked(byteCount: 100))
            let second = RangeOrigin(
                byteCount: 4000,
                entityTag: #""b""#,
                shift: 5,
                framing: .chunked(byteCount: 100)
            )
            let served = scene.serve(
                "/file",
                { first.response(to: $0, .close(.afterBody(1000))) },
                { second.response(to: $0, .close(.afterBody(300))) },
                { request in
                    var response = second.response(range: "bytes=300-499", condition: request.headers[.ifRange])
                    response.headers[.contentRange] = "bytes 300-499/\(total)"
                    return response
                },
                { second.response(to: $0) }
            )
            let file = try await scene.download()
            #expect(served.ranges == [nil, "bytes=1000-", "bytes=300-", "bytes=500-"])
            #expect(file.restart == .changed)
            #expect(file.byteCount == 4000)
            #expect(try scene.directory.contents("a") == second.bytes)
        }
    }

    /// RFC 9110 section 15.3.7: the response to If-Range should not repeat the fields of the representation.
    ///
    /// At the length of the file, the response is a 416, whose fields are those of an error.
    @Test(.bug(id: "F223"), arguments: [500, 1000] as [Int64])
    func `the fields of the first response are those of the file, whatever the rest repeats`(
        _ cut: Int64
    ) async throws {
        try await DownloadScene.run(DownloadGoingOnTests.configuration()) { scene in
            let disposition = #"attachment; filename="report.pdf""#
            let first = RangeOrigin(
                byteCount: 1000,
                fields: [.contentType: "application/pdf", .contentDisposition: disposition, .server: "old"],
                framing: .chunked(byteCount: 50)
            )
            let rest = RangeOrigin(byteCount: 1000, fields: [.server: "new"], framing: .chunked(byteCount: 50))
            let served = scene.serve(
                "/file",
                { first.response(to: $0, .close(.afterBody(cut))) },
                { rest.response(to: $0) }
            )
            var policy = DownloadPolicy.resuming
            policy.validation.acceptableContentTypes = ["application/pdf"]
            let file = try await scene.download(policy: policy)
            #expect(served.ranges == [nil, "bytes=\(cut)-"])
            #expect(file.response.status == .ok)
            #expect(file.response.headers[.contentType] == "application/pdf")
            #expect(file.response.headers[.contentDisposition] == disposition)
            #expect(file.response.headers[.contentRange] == nil)
            #expect(file.response.headers[values: .server] == [cut == 500 ? "new" : "old"])
            #expect(try scene.directory.contents("a") == first.bytes)
        }
    }

    @Test(.bug(id: "F278"), arguments: [412, 416])
    func `a useless response whose body never ends does not hold the download`(_ status: Int) async throws {
        let clock = ManualSessionClock()
        var configuration = Session.Configuration()
        configuration.clock = clock.clock
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(byteCount: 1000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(500))) },
                { _ in
                    ScriptedResponse(
                        status: .init(code: status),
                        body: .pattern(10_000),
                        effect: .stall(.afterBody(100))
                    )
                },
                { origin.response(to: $0) }
            )
            try await scene.failing()
            let task = Task { try await scene.download() }
            await clock.waitForSleeps(1)
            clock.advance(by: .seconds(1))
            #expect(try await task.value.byteCount == 1000)
            #expect(served.ranges == [nil, "bytes=500-", nil])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test(.bug(id: "F442"), arguments: [202, 204, 205])
    func `a 204 to the request for the rest is an error, and the bytes stay`(_ status: Int) async throws {
        try await DownloadScene.run(DownloadGoingOnTests.configuration()) { scene in
            let origin = RangeOrigin(byteCount: 1000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(300))) },
                { _ in ScriptedResponse(status: .init(code: status), headers: [.eTag: #""a""#]) },
                { origin.response(to: $0) }
            )
            let error = try await scene.failing()
            #expect(error.code == .unacceptableStatus)
            #expect(error.response?.status.code == status)
            #expect(error.downloadRemains?.byteCount == 300)
            let file = try await scene.download()
            #expect(file.resumedOffset == 300)
            #expect(served.ranges == [nil, "bytes=300-", "bytes=300-"])
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test func `a file that changes in the middle starts again, and never for ever`() async throws {
        try await DownloadScene.run(DownloadGoingOnTests.configuration(attempts: 3)) { scene in
            let first = RangeOrigin(byteCount: 1000)
            let second = RangeOrigin(byteCount: 900, entityTag: #""b""#, shift: 5)
            let served = scene.serve(
                "/file",
                { first.response(to: $0, .close(.afterBody(500))) },
                { second.response(to: $0, .close(.afterBody(100))) },
                { second.response(to: $0) }
            )
            let file = try await scene.download()
            #expect(served.ranges == [nil, "bytes=500-", "bytes=100-"])
            #expect(file.restart == .changed)
            #expect(file.rangeCount == 2, "the first response brought nothing that is in the file")
            #expect(try scene.directory.contents("a") == second.bytes)

            // Another version for each request: what was had before is never reached.
            let counter = Mutex(0)
            let restless = scene.serve("/restless") { request in
                let number = counter.withLock { number -> Int in
                    number += 1
                    return number
                }
                return RangeOrigin(byteCount: 1000, entityTag: "\"\(number)\"")
                    .response(to: request, .close(.afterBody(500)))
            }
            try FileManager.default.removeItem(at: scene.directory.file("a"))
            #expect(try await scene.failing("/restless").code == .connectionClosed)
            #expect(restless.requests.count == 3)
        }
    }

    @Test(arguments: [Session.Configuration(), DownloadGoingOnTests.configuration()])
    func `a server that gives less than it was asked for is asked again`(
        _ configuration: Session.Configuration
    ) async throws {
        try await DownloadScene.run(configuration) { scene in
            let origin = RangeOrigin(byteCount: 100_000)
            let broken = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(30_000))) })
            var request = try scene.request()
            request.retries = RetryPolicy.never
            let sent = request
            await #expect(throws: SessionError.self) {
                try await scene.session.download(sent, to: scene.directory.file("a"), policy: .resuming)
            }
            #expect(broken.requests.count == 1)

            let served = scene.serve("/file") { request in
                let first = request.headers[.range]?.dropFirst("bytes=".count).prefix { $0 != "-" }
                let start = first.flatMap { Int($0) } ?? 0
                let range = "bytes=\(start)-\(start + 19_999)"
                return origin.response(range: range, condition: request.headers[.ifRange])
            }
            let file = try await scene.download()
            #expect(served.ranges == [30_000, 50_000, 70_000, 90_000].map { "bytes=\($0)-" })
            #expect(file.resumedOffset == 30_000)
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }
}
