// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct ExpectedDigestTests {
    /// The digests of "hello".
    static let hex = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    static let base64 = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
    static let base64of512 = "m3HSJL1i83hdltRq0+o9czGb+8KJDKra4t/3JRlnPKcjI8PZm6XBHXx6zG4UuMXaDEZjR1wuXDre9G9zvN7AQw=="

    @Test(arguments: ["", "2c", String(repeating: "g", count: 64), hex + "0", hex.dropLast() + "\u{301}0"])
    func `a digest that is not one is refused`(_ text: String) {
        #expect(throws: SessionError(.invalidRequest, reason: "")) { try ContentDigest(.sha256, hexadecimal: text) }
    }

    @Test func `a digest prints its algorithm and its digits`() throws {
        #expect("\(try ContentDigest(.sha256, hexadecimal: Self.hex))" == "sha-256:\(Self.hex)")
    }

    private func session(_ headers: HTTPFields, _ text: String = "hello") -> Session {
        Session(transport: StubTransport { _ in .plain(text, headers: headers) })
    }

    @Test(arguments: ["Repr-Digest", "Content-Digest"], ["sha-256=:\(base64):", "sha-512=:\(base64of512):"])
    func `the digest of a response is verified`(_ field: String, _ value: String) async throws {
        let directory = try TemporaryDirectory()
        let name = try #require(HTTPField.Name(field))
        let request = Request(url: try Peer.url("http://h/file"))
        let file = try await self.session([name: value]).download(request, to: directory.file("a"))
        #expect(file.verifiedDigests.count == 1)
        let error = await #expect(throws: SessionError.self) {
            try await self.session([name: value], "hallo").download(request, to: directory.file("b"))
        }
        #expect(error?.code == .digestMismatch)
        #expect(error?.downloadRemains == nil)
        #expect(try directory.names == ["a"])
        var policy = DownloadPolicy()
        policy.verifiesResponseDigests = false
        _ = try await self.session([name: value], "hallo").download(request, to: directory.file("b"), policy: policy)
        #expect(try directory.names == ["a", "b"])
    }

    @Test(arguments: [DownloadPolicy.Resume.never, .always])
    func `the digest of the caller is verified before the file takes its name`(
        _ resume: DownloadPolicy.Resume
    ) async throws {
        let directory = try TemporaryDirectory()
        try Data("old".utf8).write(to: directory.file("a"))
        let policy = DownloadPolicy(
            resume: resume,
            digest: try ContentDigest(.sha256, hexadecimal: Self.hex.uppercased())
        )
        let request = Request(url: try Peer.url("http://h/file"))
        let error = await #expect(throws: SessionError.self) {
            try await self.session([.eTag: #""a""#], "hallo")
                .download(request, to: directory.file("a"), destinationOptions: .overwrite, policy: policy)
        }
        #expect(error?.code == .digestMismatch)
        #expect(try directory.names == ["a"])
        #expect(try directory.contents("a") == Data("old".utf8))
        let file = try await self.session([.eTag: #""a""#])
            .download(request, to: directory.file("a"), destinationOptions: .overwrite, policy: policy)
        #expect(file.verifiedDigests == [try ContentDigest(.sha256, hexadecimal: Self.hex)])
        #expect(try directory.contents("a") == Data("hello".utf8))
    }
}

extension ExpectedDigestTests {
    @Test func `the digest of the whole says nothing of a range that the caller wanted`() async throws {
        let (directory, name) = (try TemporaryDirectory(), try #require(HTTPField.Name("Repr-Digest")))
        let fields: HTTPFields = [name: "sha-256=:\(Self.base64):", .contentRange: "bytes 1-3/5"]
        let session = Session(transport: StubTransport { _ in .plain("ell", status: 206, headers: fields) })
        var request = Request(url: try Peer.url("http://h/file"))
        request.headers[.range] = "bytes=1-3"
        #expect(try await session.download(request, to: directory.file("a")).byteCount == 3)
    }

    @Test func `a digest of the wrong length is a decoding error`() {
        let text = #"{"algorithm":"sha-256","bytes":"AAAA"}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ContentDigest.self, from: Data(text.utf8)) }
    }
}
