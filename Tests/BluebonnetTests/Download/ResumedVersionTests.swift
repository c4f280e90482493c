// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Downloads that resume, and whether the rest is of the same version as the beginning.
@Suite(.timeLimit(.minutes(1))) struct ResumedVersionTests {
    /// What the server does when it is asked for the rest, and what comes of it.
    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var restart: DownloadRestart?
        var code: SessionError.Code?
        var answer: @Sendable (RecordedRequest) -> ScriptedResponse

        init(
            _ name: String,
            _ restart: DownloadRestart?,
            _ code: SessionError.Code? = nil,
            _ answer: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
        ) {
            (self.testDescription, self.restart, self.code, self.answer) = (name, restart, code, answer)
        }
    }

    static let old = RangeOrigin(byteCount: 50_000)
    static let new = RangeOrigin(byteCount: 50_000, entityTag: #""b""#, shift: 777)

    /// A part of the new version, as a server sends it that does not look at If-Range.
    @Sendable private static func part(_ change: (inout ScriptedResponse) -> Void) -> ScriptedResponse {
        var response = Self.new.response(range: "bytes=20000-", condition: nil)
        change(&response)
        return response
    }

    static let faults: [Fault] = [
        Fault("another entity", .changed) { Self.new.response(to: $0) },
        Fault("a part of another entity", .changed) { _ in Self.part { _ in } },
        Fault("a part without a tag", .changed) { _ in Self.part { $0.headers[.eTag] = nil } },
        Fault("a part with a weak tag", .changed) { _ in Self.part { $0.headers[.eTag] = #"W/"a""# } },
        Fault("a part from the wrong place", .invalidPart) { _ in
            Self.part { response in
                response.headers[.eTag] = #""a""#
                response.headers[.contentRange] = "bytes 19999-49999/50000"
                response.body = .bytes(PatternBytes.bytes(in: 19_999..<50_000))
            }
        },
        Fault("the rest with the status of the whole", .invalidPart) { _ in
            Self.part { response in
                response.status = .ok
                response.headers[.eTag] = #""a""#
            }
        },
        Fault("the rest with the status of the whole, and no range", .invalidPart) { _ in
            Self.part { response in
                response.status = .ok
                response.headers[.contentRange] = nil
            }
        },
        Fault("a part of a longer file", .changed) { _ in
            Self.part { $0.headers = [.eTag: #""a""#, .contentRange: "bytes 20000-49999/60000"] }
        },
        Fault("a compressed part", .changed) { _ in
            Self.part {
                $0.headers[.eTag] = #""a""#
                $0.headers[.contentEncoding] = "gzip"
            }
        },
        Fault("a refused range", .rangeRefused) { _ in
            ScriptedResponse(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */50000"])
        },
        Fault("a failed precondition", .changed) { _ in ScriptedResponse(status: .preconditionFailed) },
        Fault("a length that does not fit the range", nil, .incompleteDownload) { _ in
            Self.part { response in
                response.headers[.eTag] = #""a""#
                response.body = .bytes(PatternBytes.bytes(in: 20_000..<40_000))
            }
        },
        Fault("more bytes than the range has", nil, .incompleteDownload) { _ in
            Self.part { response in
                response.headers[.eTag] = #""a""#
                response.framing = .chunked(byteCount: 5000)
                response.body = .bytes(PatternBytes.bytes(in: 20_000..<60_000))
            }
        },
        Fault("no content", nil, .unacceptableStatus) { _ in ScriptedResponse(status: .noContent) },
        Fault("an error", nil, .unacceptableStatus) { _ in ScriptedResponse(status: .serviceUnavailable) },
    ]

    @Test(.bug(id: "F740"), arguments: Self.faults)
    func `two versions are never put together`(_ fault: Fault) async throws {
        try await DownloadScene.run { scene in
            let served = scene.serve(
                "/file",
                { Self.old.response(to: $0, .close(.afterBody(20_000))) },
                fault.answer,
                { Self.new.response(to: $0) }
            )
            try await scene.failing()
            if let code = fault.code {
                #expect(try await scene.failing().code == code)
            } else {
                #expect(try await scene.download().restart == fault.restart)
            }
            if !(try scene.directory.names.contains("a")) { _ = try await scene.download() }
            #expect(served.ranges[1] == "bytes=20000-")
            #expect(served.requests[1].headers[.ifRange] == #""a""#)
            #expect(try scene.directory.contents("a") == Self.new.bytes)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test func `the same entity sent whole takes the place of its beginning`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 50_000)
            _ = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(20_000))) },
                { _ in origin.response(range: nil, condition: nil) }
            )
            try await scene.failing()
            let file = try await scene.download()
            #expect(file.restart == .rangeIgnored)
            #expect(file.resumedOffset == 0)
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    /// The type of the rest, and whether it is accepted.
    @Test(
        .bug(id: "F223"),
        arguments: [(nil, true), ("application/pdf", true), ("text/html", false)] as [(String?, Bool)]
    )
    func `the rest needs no content type, and is refused if it has another one`(
        _ type: String?,
        _ isAccepted: Bool
    ) async throws {
        try await DownloadScene.run { (scene: DownloadScene) async throws in
            let origin = RangeOrigin(fields: [.contentType: "application/pdf"])
            _ = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(20))) },
                { request in
                    var response = origin.response(to: request)
                    response.headers[.contentType] = type
                    return response
                }
            )
            var policy = DownloadPolicy.resuming
            policy.validation.acceptableContentTypes = ["application/pdf"]
            #expect(try await scene.failing(policy: policy).downloadRemains?.byteCount == 20)
            guard isAccepted else {
                #expect(try await scene.failing(policy: policy).code == .unacceptableContentType)
                return
            }
            #expect(try await scene.download(policy: policy).resumedOffset == 20)
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    /// RFC 9110 section 15.3.7: a part should not repeat the fields of the representation.
    @Test(.bug(id: "F300"), arguments: [nil, "gzip"] as [String?])
    func `a part may leave out the content coding of the file`(_ repeated: String?) async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(fields: [.contentEncoding: "gzip"])
            var rest = origin
            rest.fields[.contentEncoding] = repeated
            let part = rest
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(20))) },
                { part.response(to: $0) }
            )
            try await scene.failing()
            let file = try await scene.download()
            #expect(served.ranges == [nil, "bytes=20-"])
            #expect(file.resumedOffset == 20)
            #expect(file.restart == nil)
            #expect(file.response.headers[.contentEncoding] == "gzip")
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test func `a part that was not asked for is refused`() async throws {
        try await DownloadScene.run { scene in
            _ = scene.serve("/file", { _ in RangeOrigin().response(range: "bytes=10-", condition: nil) })
            let error = try await scene.failing()
            #expect(error.code == .incompleteDownload)
            #expect(try scene.directory.names == [])
        }
    }

    @Test(arguments: [nil, #"W/"a""#, "a"])
    func `without a strong entity tag nothing is kept`(_ entityTag: String?) async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(entityTag: entityTag)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(20))) },
                { origin.response(to: $0) }
            )
            #expect(try await scene.failing().downloadRemains == nil)
            #expect(try scene.directory.names == [])
            _ = try await scene.download()
            #expect(served.ranges == [nil, nil])
        }
    }
}
