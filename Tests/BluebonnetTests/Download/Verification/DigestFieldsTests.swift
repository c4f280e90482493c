// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct DigestFieldsTests {
    static let hex = ExpectedDigestTests.hex
    static let base64 = ExpectedDigestTests.base64
    static let base64of512 = ExpectedDigestTests.base64of512
    static let unpadded = String(Substring(base64.utf8.dropLast()))
    static let sound = "sha-256=:\(base64):"

    struct Case: Sendable, CustomTestStringConvertible {
        var value: String
        var count: Int
        var testDescription: String { self.value }

        init(_ value: String, _ count: Int) { (self.value, self.count) = (value, count) }
    }

    static let wellFormed = [
        Case(sound, 1), Case("\(sound), sha-512=:\(base64of512):", 2), Case("  \(sound)  ;x=1 , md5=:AAAA:", 1),
        Case("md5=:AAAA:", 0), Case("", 0), Case("sha-256", 0), Case("sha-256=1", 0), Case("sha-256=:AAAA:", 0),
        Case("sha-256=:AAAA:, sha-512=:\(base64of512):", 1),
        // The padding, which a parser should not require.
        Case("sha-256=:\(unpadded):", 1), Case("sha-256=:\(unpadded):;a", 1),
        // Parameters of all types.
        Case("\(sound);a=\"x,y\"", 1), Case("\(sound);a=\"x\\\",\\\\\"", 1),
        Case("\(sound); a=-1.5;b=?0;*c=@1;d=:AA:", 1),
        Case("\(sound);a=%\"f%c3%bc, \";b=a/b:c", 1),
        // The last member of a key counts.
        Case("sha-256=:AAAA:, \(sound)", 1), Case("\(sound),\(sound)", 1), Case("\(sound), sha-256=:AAAA:", 0),
        Case("\(sound), sha-256", 0), Case("\(sound), sha-256=1", 0),
        // Members of other types.
        Case("\(sound), foo", 1), Case("foo;x=1, \(sound)", 1), Case("\(sound), unixsum=1", 1),
        Case("unixsum=(1 2), \(sound)", 1), Case("a=(\"x,)\";p=1 :AA: b ), \(sound)", 1), Case("a=(), \(sound)", 1),
        Case("a=\",\", \(sound)", 1), Case(", ,\(sound),", 1),
    ]

    static let malformed = [
        "sha-256=\(base64)", "sha-256=:\(base64)", "\(sound)x", "\(sound) x", "sha-256=:####:", "SHA-256=:\(base64):",
        "\(sound), a=", "\(sound), a=\"x", "\(sound), a=\"x\\", "\(sound), a=(1", "\(sound), a=((1))", "\(sound);",
        "\(sound), a=:A:", "\(sound), =1", "\(sound);A=1", "\(sound), \u{E9}=1", "sha-256=:\(base64):, 1=2",
    ]

    @Test(.bug(id: "F742"), arguments: Self.wellFormed)
    func `a digest field is a dictionary, of which the byte sequences count`(_ line: Case) throws {
        let name = try #require(HTTPField.Name("Repr-Digest"))
        let fields = DigestFields([name: line.value])
        #expect(fields.representation.count == line.count)
        #expect(fields.content.isEmpty)
        if let first = fields.representation.first, first.algorithm == .sha256 {
            #expect(first.hexadecimal == Self.hex)
        }
    }

    @Test(arguments: Self.malformed) func `a digest field with an error counts as absent`(_ value: String) throws {
        let name = try #require(HTTPField.Name("Repr-Digest"))
        #expect(DigestFields([name: value]).representation.isEmpty)
    }

    @Test func `several lines of a digest field are one dictionary`() throws {
        let name = try #require(HTTPField.Name("Repr-Digest"))
        var fields = HTTPFields()
        for value in ["sha-256=:AAAA:", "foo", Self.sound] { fields.append(HTTPField(name: name, value: value)) }
        #expect(DigestFields(fields).representation.map(\.hexadecimal) == [Self.hex])
    }

    @Test(
        .bug(id: "F742"),
        arguments: ["sha-256=:\(unpadded):", "\(sound);a=\"x,y\"", "\(sound), foo"],
        ["hello", "hallo"]
    )
    func `a wrong body is found by a digest in any form`(_ value: String, _ body: String) async throws {
        let (directory, name) = (try TemporaryDirectory(), try #require(HTTPField.Name("Repr-Digest")))
        let session = Session(transport: StubTransport { _ in .plain(body, headers: [name: value]) })
        let request = Request(url: try Peer.url("http://h/file"))
        if body == "hello" {
            #expect(try await session.download(request, to: directory.file("a")).verifiedDigests.count == 1)
        } else {
            await #expect(throws: SessionError(.digestMismatch, reason: "")) {
                try await session.download(request, to: directory.file("a"))
            }
        }
    }
}
