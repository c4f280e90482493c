// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes
import Testing

@testable import Bluebonnet

@Suite struct DigestTests {
    static func session(_ field: String, clientNonce: String = "c") throws -> DigestSession {
        let challenge = try #require(HTTPChallenge.challenges(in: [.wwwAuthenticate: field]).first)
        return DigestSession(try #require(DigestChallenge(challenge)), clientNonce: clientNonce)
    }

    static func parameters(_ field: String) throws -> [HTTPChallenge.Parameter] {
        var parser = ChallengeParser(Array(field.utf8))
        let parameters = parser.parameters()
        return try #require(parameters)
    }

    // MARK: The examples of RFC 7616

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `the example of RFC 7616 section 3.9.1 is met byte for byte`(_ algorithm: String, _ response: String) throws {
        let session = try Self.session(
            "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=\(algorithm), "
                + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", "
                + "opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"",
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        let answer = DigestAnswer(
            session,
            user: "Mufasa",
            password: "Circle of Life",
            DigestAnswer.Subject(method: "GET", target: "/dir/index.html")
        )
        let expected =
            "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", uri=\"/dir/index.html\", "
            + "algorithm=\(algorithm), nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", nc=00000001, "
            + "cnonce=\"f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ\", qop=auth, response=\"\(response)\", "
            + "opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""
        #expect(answer.field == expected)
    }

    /// The values that the RFC prints are those of SHA-512 cut to 256 bits; these are those of SHA-512/256 (erratum 4897).
    @Test func `the example of RFC 7616 section 3.9.2 is met with the values of its erratum`() throws {
        let session = try Self.session(
            "Digest realm=\"api@example.org\", qop=\"auth\", algorithm=SHA-512-256, "
                + "nonce=\"5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK\", "
                + "opaque=\"HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS\", charset=UTF-8, userhash=true",
            clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
        )
        let answer = DigestAnswer(
            session,
            user: "J\u{E4}s\u{F8}n Doe",
            password: "Secret, or not?",
            DigestAnswer.Subject(method: "GET", target: "/doe.json")
        )
        let expected =
            "Digest username=\"793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b\", "
            + "realm=\"api@example.org\", uri=\"/doe.json\", algorithm=SHA-512-256, "
            + "nonce=\"5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK\", nc=00000001, "
            + "cnonce=\"NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v\", qop=auth, "
            + "response=\"3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5\", "
            + "opaque=\"HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS\", userhash=true"
        #expect(answer.field == expected)
    }

    /// RFC 2617 section 3.5, whose Digest is that of MD5; the same without `qop` as RFC 2069 had it.
    @Test(arguments: [
        (", qop=\"auth,auth-int\"", "6629fae49393a05397450978507c4ef1"), ("", "670fd8c2df070c60b045671b8b24ff02"),
    ])
    func `a server of an older Digest is answered`(_ qop: String, _ response: String) throws {
        let session = try Self.session(
            "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"\(qop)",
            clientNonce: "0a4f113b"
        )
        let subject = DigestAnswer.Subject(method: "GET", target: "/dir/index.html")
        let field = DigestAnswer(session, user: "Mufasa", password: "Circle Of Life", subject).field
        #expect(field.contains("response=\"\(response)\""))
        #expect(field.contains("cnonce") == !qop.isEmpty)
    }

    // MARK: Hashes

    /// FIPS 180-4's example and others of NIST's, and lengths around a block, checked with OpenSSL.
    @Test(arguments: [
        ("", 1, "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        ("abc", 1, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
                + "nopqrstu", 1, "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
        ),
        ("a", 1_000_000, "9a59a052930187a97038cae692f30708aa6491923ef5194394dc68d56c74fb21"),
        ("ab", 55, "cc1e8e7b18a9dcac9dea9e2603c11e5f053187e6c33fbc8fdaf5a0cc5a1b6489"),
        ("ab", 56, "e49d4fbd80182a6c3348b6aaec7bff2d2e22b1941176009eb67ca1c39e9084f6"),
        ("ab", 63, "88de21365400b0cacb12fbae6ba6a5269c8b66cba598a3f24780bb6a799b9cee"),
        ("ab", 64, "c235b531c7bc94364dbb0e09ac594c586ddcbdf9980bd678af79743690d2e05b"),
        ("ab", 65, "0c1c8c9850a76f3dbec97460e83ae29eb713321fbaba080db1ee7245e613dd84"),
        ("ab", 128, "7fca0ffdea625477874135a2c055613b01f108c158751d7a3ae3855aaf72d8ae"),
    ])
    func `SHA-512/256 gives the digests of FIPS 180-4`(_ text: String, _ count: Int, _ digest: String) {
        let bytes = Array(String(repeating: text, count: count).utf8)
        for step in [max(bytes.count, 1), 127] {
            var hasher = DigestHasher(.sha512t256)
            for start in stride(from: 0, to: bytes.count, by: step) {
                bytes[start..<min(start + step, bytes.count)].withUnsafeBytes { hasher.update($0) }
            }
            #expect(hasher.finalize() == digest)
        }
    }

    // MARK: Rules

    @Test(arguments: [
        ("algorithm=MD5-sess, qop=auth", true), ("algorithm=sha-256, qop=auth", true), ("qop=\"auth-int\"", true),
        ("", true), ("algorithm=SHA-256", false), ("algorithm=MD5-sess", false), ("algorithm=SHA-1, qop=auth", false),
        ("qop=token", false), ("qop=\"\"", false), ("qop=\"token, AUTH\"", true),
    ])
    func `a challenge is answered if everything in it is known`(_ text: String, _ isKnown: Bool) throws {
        let field = "Digest realm=\"r\", nonce=\"n\"" + (text.isEmpty ? "" : ", ") + text
        let challenge = try #require(HTTPChallenge.challenges(in: [.wwwAuthenticate: field]).first)
        #expect((DigestChallenge(challenge) != nil) == isKnown)
    }

    @Test(arguments: ["Digest realm=\"r\"", "Digest nonce=\"n\"", "Digest", "Basic realm=\"r\", nonce=\"n\""])
    func `a challenge without realm or nonce is none of Digest`(_ field: String) throws {
        let challenge = try #require(HTTPChallenge.challenges(in: [.wwwAuthenticate: field]).first)
        #expect(DigestChallenge(challenge) == nil)
    }

    @Test func `quotation marks and other letters are escaped`() throws {
        let session = try Self.session("Digest realm=\"a \\\"b\\\"\", nonce=\"n\\\\\", qop=auth, opaque=\"o\"")
        let subject = DigestAnswer.Subject(method: "GET", target: "/")
        let field = DigestAnswer(session, user: "a\"b", password: "p", subject).field
        #expect(field.contains("username=\"a\\\"b\""))
        #expect(field.contains("realm=\"a \\\"b\\\"\""))
        #expect(field.contains("nonce=\"n\\\\\""))
        let named = DigestAnswer(session, user: "Jäs øn", password: "p", subject).field
        #expect(named.contains("username*=UTF-8''J%C3%A4s%20%C3%B8n"))
    }

    @Test func `requests under one nonce are counted, and a new nonce starts again`() throws {
        let session = try Self.session("Digest realm=\"r\", nonce=\"n\", qop=auth")
        let tickets = (0..<300).map { _ in session.makeTicket() }
        #expect(tickets.map(\.count) == Array(1...300))
        #expect(Hexadecimal.text(tickets[299].count) == "0000012c")
        session.advance(to: "n2", after: tickets[0])
        // A late response to a request under the old nonce does not bring the old time back.
        session.advance(to: "n3", after: tickets[1])
        let ticket = session.makeTicket()
        #expect(ticket.nonce == "n2" && ticket.count == 1)
    }

    @Test(arguments: [
        ("rspauth=\"PROOF\"", true), ("rspauth=\"PROOF\", nc=00000001, cnonce=\"c\", qop=auth", true),
        ("nextnonce=\"x\"", true), ("rspauth=\"00000000000000000000000000000000\"", false), ("rspauth=\"\"", false),
        ("rspauth=\"PROOF\", nc=00000002", false), ("rspauth=\"PROOF\", cnonce=\"d\"", false),
        ("rspauth=\"PROOF\", nc=x", false), ("rspauth=\"PROOF\", qop=auth-int", false),
    ])
    func `the server's proof is checked`(_ text: String, _ isAccepted: Bool) throws {
        let session = try Self.session("Digest realm=\"r\", nonce=\"n\", qop=auth")
        let subject = DigestAnswer.Subject(method: "GET", target: "/x")
        let answer = DigestAnswer(session, user: "u", password: "p", subject)
        let md5 = DigestAlgorithm.md5
        let proof = md5.digest("\(md5.digest("u:r:p")):n:00000001:c:auth:\(md5.digest(":/x"))")
        let parameters = try Self.parameters(text.replacing("PROOF", with: proof))
        #expect(answer.accepts(parameters) { _ in "body" } == isAccepted)
    }

    @Test func `auth-int hashes the body, in both directions`() throws {
        let session = try Self.session("Digest realm=\"r\", nonce=\"n\", qop=auth-int, algorithm=SHA-256-sess")
        let sha = try #require(DigestAlgorithm.named("SHA-256"))
        let subject = DigestAnswer.Subject(method: "POST", target: "/x", bodyDigest: sha.digest("body"))
        let answer = DigestAnswer(session, user: "u", password: "p", subject)
        let key = sha.digest("\(sha.digest("u:r:p")):n:c")
        let second = sha.digest("POST:/x:\(sha.digest("body"))")
        #expect(answer.field.contains("response=\"\(sha.digest("\(key):n:00000001:c:auth-int:\(second)"))\""))
        let proof = sha.digest("\(key):n:00000001:c:auth-int:\(sha.digest(":/x:\(sha.digest("reply"))"))")
        let parameters = [HTTPChallenge.Parameter(name: "rspauth", value: proof)]
        #expect(answer.accepts(parameters) { _ in sha.digest("reply") })
        #expect(!answer.accepts(parameters) { _ in sha.digest("other") })
    }
}
