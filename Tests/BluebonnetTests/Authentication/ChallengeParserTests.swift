// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct ChallengeParserTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var fields: [String]
        /// Each challenge as `scheme name=value;…` or `scheme :token68`.
        var challenges: [String]

        var testDescription: String { "\(self.fields)" }

        init(_ fields: String..., challenges: [String]) {
            self.fields = fields
            self.challenges = challenges
        }
    }

    static let cases: [Case] = [
        Case("Basic realm=\"simple\"", challenges: ["basic realm=simple"]),
        Case("bASIC ReAlM=\"x\"", challenges: ["basic realm=x"]),
        Case("Basic realm=simple", challenges: ["basic realm=simple"]),
        Case("Basic realm = \t\"x\"", challenges: ["basic realm=x"]),
        // RFC 9110 section 11.6.1.
        Case(
            "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"",
            challenges: ["basic realm=simple", "newauth realm=apps;type=1;title=Login to \"apps\""]
        ),
        Case("Negotiate", challenges: ["negotiate"]),
        Case("Negotiate, Basic realm=\"a\"", challenges: ["negotiate", "basic realm=a"]),
        Case("Negotiate YII=, Basic realm=\"a\"", challenges: ["negotiate :YII=", "basic realm=a"]),
        Case("NTLM a/b+c==", challenges: ["ntlm :a/b+c=="]),
        Case("NTLM abc", challenges: ["ntlm :abc"]),
        Case(
            "Basic realm=\"a\", Digest realm=\"b\", nonce=\"c\"",
            challenges: ["basic realm=a", "digest realm=b;nonce=c"]
        ),
        Case("Basic realm=\"a\"", "Digest realm=\"b\"", challenges: ["basic realm=a", "digest realm=b"]),
        Case(" , ,Basic realm=\"a\",,, , Bearer , ", challenges: ["basic realm=a", "bearer"]),
        Case("Basic realm=\"a, Digest realm=b\"", challenges: ["basic realm=a, Digest realm=b"]),
        Case("Basic realm=\"\"", challenges: ["basic realm="]),
        Case("Basic realm=\"ü\"", challenges: ["basic realm=ü"]),
        // What follows an error is ignored, what goes before it counts.
        Case("", challenges: []),
        Case("Basic realm=\"a", challenges: []),
        Case("Basic realm=\"a\\", challenges: []),
        Case("Basic realm=", challenges: ["basic :realm="]),
        Case("Basic realm=,", challenges: ["basic :realm="]),
        Case("Basic =x", challenges: []),
        Case("=", challenges: []),
        Case("\"Basic\"", challenges: []),
        Case("Basic realm=\"a\" x", challenges: []),
        Case("Bearer, Basic realm=\"a\" Digest", challenges: ["bearer"]),
        Case("Basic realm=\"a\", Digest realm=\"b", challenges: ["basic realm=a"]),
        Case("Basic realm=\"a\", realm=\"b\", Bearer", challenges: ["bearer"]),
        Case("Basic realm=\"a\", REALM=\"b\"", challenges: []),
    ]

    @Test(arguments: Self.cases) func `a field is read as RFC 9110 says`(_ one: Case) throws {
        var headers = HTTPFields()
        for field in one.fields { headers.append(HTTPField(name: .wwwAuthenticate, value: field)) }
        let texts = HTTPChallenge.challenges(in: headers).map { challenge in
            let parameters = challenge.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
            let rest = challenge.token68.map { ":\($0)" } ?? parameters
            return rest.isEmpty ? challenge.scheme.name : "\(challenge.scheme) \(rest)"
        }
        #expect(texts == one.challenges)
    }

    @Test(arguments: [
        String(repeating: "A,", count: 8_000), "A " + String(repeating: "a=b,", count: 4_000),
        "A " + String(repeating: "a", count: 16_000), "A b=\"" + String(repeating: "\\\"", count: 8_000),
        String(repeating: "A ", count: 8_000), "A " + String(repeating: "=", count: 16_000),
        "A " + String(repeating: "\u{0301}", count: 8_000),
    ])
    func `a hostile field ends at a limit`(_ text: String) {
        let challenges = HTTPChallenge.challenges(in: [.wwwAuthenticate: text])
        #expect(challenges.count <= 16)
        #expect(challenges.allSatisfy { $0.parameters.count <= 32 })
    }

    @Test func `fields of more than 16 KiB are not read`() {
        let long = "Basic realm=\"\(String(repeating: "a", count: 16 * 1024))\""
        #expect(HTTPChallenge.challenges(in: [.wwwAuthenticate: long]).isEmpty)
        var headers: HTTPFields = [.wwwAuthenticate: "Bearer"]
        headers.append(HTTPField(name: .wwwAuthenticate, value: long))
        #expect(HTTPChallenge.challenges(in: headers).map(\.scheme) == [.bearer])
    }

    @Test func `every byte can stand anywhere without a trap`() {
        let base = Array("Digest realm=\"a\\\"b\", nonce=c, qop=\"auth\", Basic abc=, Bearer".utf8)
        for index in base.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = base
                bytes[index] = byte
                var challenges: [HTTPChallenge] = []
                var parser = ChallengeParser(bytes)
                parser.read(into: &challenges)
                for challenge in challenges { _ = DigestChallenge(challenge) }
                #expect(challenges.count <= 16)
            }
        }
    }
}
