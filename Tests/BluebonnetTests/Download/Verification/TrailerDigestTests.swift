// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Crypto
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// A server that computes a digest while it sends can only say it behind the body (RFC 9530 section 2, RFC 9110 section 6.5).
@Suite(.timeLimit(.minutes(1))) struct TrailerDigestTests {
    private static let cut: Int64 = 40_000

    /// What a digest in the trailers is of.
    enum Subject: String, Sendable, CaseIterable {
        case whole, part, other
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let field: String
        let algorithm: ContentDigest.Algorithm
        let subject: Subject
        /// Whether the download has the bytes before the cut already.
        let isResumed: Bool

        var testDescription: String { "\(self.field) \(self.algorithm.rawValue) \(self.subject) \(self.isResumed)" }

        /// Content-Digest is of the bytes in the response, Repr-Digest of the whole file.
        var isRight: Bool {
            switch (self.field, self.subject) {
            case ("Repr-Digest", .whole): true
            case ("Content-Digest", .whole): !self.isResumed
            case ("Content-Digest", .part): self.isResumed
            default: false
            }
        }

        static let all = ["Repr-Digest", "Content-Digest"].flatMap { field in
            ContentDigest.Algorithm.allCases.flatMap { algorithm in
                Subject.allCases.flatMap { subject in
                    [false, true].map { Row(field: field, algorithm: algorithm, subject: subject, isResumed: $0) }
                }
            }
        }
    }

    private func digest(_ bytes: Data, _ algorithm: ContentDigest.Algorithm) -> String {
        let digest =
            switch algorithm {
            case .sha256: Data(SHA256.hash(data: bytes))
            case .sha512: Data(SHA512.hash(data: bytes))
            }
        return "\(algorithm.rawValue)=:\(digest.base64EncodedString()):"
    }

    @Test(arguments: Row.all) func `a digest behind the body is verified`(_ row: Row) async throws {
        let origin = RangeOrigin(byteCount: 100_000)
        let subject =
            switch row.subject {
            case .whole: origin.bytes
            case .part: origin.bytes.dropFirst(Int(Self.cut))
            case .other: Data("other".utf8)
            }
        let name = try #require(HTTPField.Name(row.field))
        let value = self.digest(Data(subject), row.algorithm)
        var chunked = origin
        chunked.framing = .chunked(byteCount: 7000)
        let answer: ServedSteps.Step = { [chunked] request in
            var response = chunked.response(to: request)
            response.headers[.trailer] = row.field
            response.trailers[name] = value
            return response
        }
        try await DownloadScene.run { scene in
            if row.isResumed {
                let served = scene.serve("/file", { origin.response(to: $0, .close(.afterBody(Self.cut))) }, answer)
                #expect(try await scene.failing().downloadRemains?.byteCount == Self.cut)
                try await self.expect(row, scene, origin)
                #expect(served.ranges == [nil, "bytes=\(Self.cut)-"])
            } else {
                _ = scene.serve("/file", answer)
                try await self.expect(row, scene, origin)
            }
        }
    }

    private func expect(_ row: Row, _ scene: DownloadScene, _ origin: RangeOrigin) async throws {
        guard row.isRight else {
            let error = try await scene.failing()
            #expect(error.code == .digestMismatch)
            #expect(error.downloadRemains == nil)
            return #expect(try scene.directory.names.isEmpty)
        }
        let file = try await scene.download()
        // What was verified is the whole file; a digest of a part says nothing of it.
        #expect(file.verifiedDigests.map(\.algorithm) == (row.subject == .whole ? [row.algorithm] : []))
        #expect(file.resumedOffset == (row.isResumed ? Self.cut : 0))
        #expect(try scene.directory.contents("a") == origin.bytes)
    }

    /// A digest of a part that is followed by another part.
    struct ShortPart: Sendable, CustomTestStringConvertible {
        let field: String
        let isTrailer: Bool
        let isRight: Bool

        var testDescription: String { "\(self.field), trailer: \(self.isTrailer), right: \(self.isRight)" }

        static let all = ["Repr-Digest", "Content-Digest"].flatMap { field in
            [false, true].flatMap { isTrailer in
                [false, true].map { ShortPart(field: field, isTrailer: isTrailer, isRight: $0) }
            }
        }
    }

    @Test(.bug(id: "F225"), arguments: ShortPart.all)
    func `a digest of a part that another one follows is verified`(_ row: ShortPart) async throws {
        let origin = RangeOrigin(byteCount: 100_000)
        let end: Int64 = 60_000
        let isWhole = row.field == "Repr-Digest"
        let subject = isWhole ? origin.bytes : origin.bytes.subdata(in: Int(Self.cut)..<Int(end))
        let name = try #require(HTTPField.Name(row.field))
        let value = self.digest(row.isRight ? subject : Data("other".utf8), .sha256)
        let part: ServedSteps.Step = { request in
            let range = "bytes=\(Self.cut)-\(end - 1)"
            var response = origin.response(range: range, condition: request.headers[.ifRange])
            response.framing = .chunked(byteCount: 7000)
            if row.isTrailer {
                response.headers[.trailer] = row.field
                response.trailers[name] = value
            } else {
                response.headers[name] = value
            }
            return response
        }
        try await DownloadScene.run { scene in
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(Self.cut))) },
                part,
                { origin.response(to: $0) }
            )
            #expect(try await scene.failing().downloadRemains?.byteCount == Self.cut)
            let ranges: [String?] = [nil, "bytes=\(Self.cut)-", "bytes=\(end)-"]
            guard row.isRight else {
                let error = try await scene.failing()
                #expect(error.code == .digestMismatch)
                #expect(error.downloadRemains == nil)
                // The digest of the whole can be compared only at the end.
                #expect(served.ranges == (isWhole ? ranges : Array(ranges.prefix(2))))
                return #expect(try scene.directory.names.isEmpty)
            }
            let file = try await scene.download()
            #expect(served.ranges == ranges)
            let verified: [ContentDigest.Algorithm] = isWhole ? [.sha256] : []
            #expect(file.verifiedDigests.map(\.algorithm) == verified)
            #expect(try scene.directory.contents("a") == origin.bytes)
        }
    }

    @Test func `a digest behind the body is left alone where the policy says so`() async throws {
        let origin = RangeOrigin(byteCount: 100, framing: .chunked(byteCount: 10))
        try await DownloadScene.run { scene in
            _ = scene.serve(
                "/file",
                {
                    var response = origin.response(to: $0)
                    response.trailers[.contentDigest] = self.digest(Data(), .sha256)
                    return response
                }
            )
            var policy = DownloadPolicy.resuming
            policy.verifiesResponseDigests = false
            let file = try await scene.download(policy: policy)
            #expect(file.verifiedDigests.isEmpty)
        }
    }
}
