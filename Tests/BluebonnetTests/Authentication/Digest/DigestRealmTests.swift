// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Two Digest realms of one origin, of which neither says which paths it covers.
@Suite(.timeLimit(.minutes(1))) struct DigestRealmTests {
    typealias Stage = AuthenticationStageTests

    @Test(.bug(id: "F248")) func `each of two realms without a domain gets its preemptive answer`() async throws {
        let transport = StubTransport { request in
            let realm = request.target.hasPrefix("/b/") ? "b" : "a"
            if request.headers[.authorization]?.contains("realm=\"\(realm)\"") == true { return .plain("in") }
            let challenge = "Digest realm=\"\(realm)\", nonce=\"\(realm)\", qop=auth"
            return .plain("", status: 401, headers: [.wwwAuthenticate: challenge])
        }
        let session = Stage.session(transport, .digest("ada", "s3cret", for: Stage.home))
        for (path, count) in [("/a/1", 2), ("/b/1", 2), ("/b/2", 1), ("/a/2", 1), ("/b/3/4", 1), ("/a/5", 1)] {
            let before = transport.requests.count
            let response = try await session.response(for: Stage.request("http://h\(path)"))
            #expect(response.status == .ok)
            #expect(transport.requests.count - before == count, "\(path)")
        }
        var request = try Stage.request("http://h/b/6")
        request.method = .post
        request.body = .stream(length: 4, isReplayable: false) { AuthenticationStageTests.Bytes() }
        #expect(try await session.response(for: request).status == .ok)
    }

    private func entry(_ realm: String) -> KnownSpaces.Entry {
        KnownSpaces.Entry(
            space: ProtectionSpace(origin: Stage.home, realm: realm),
            scheme: .digest,
            credential: .password("ada", "s3cret"),
            owner: .rule,
            paths: ["/"]
        )
    }

    private func realm(_ target: String, _ spaces: KnownSpaces) -> String? {
        spaces.entry(Stage.home, target, .rule, nil)?.space.realm
    }

    @Test(.bug(id: "F248")) func `the space of the nearest directory is used, then the one that was confirmed last`() {
        let spaces = KnownSpaces(largestCount: 4)
        spaces.confirm(self.entry("a"), for: "/a/x?y=/z/")
        spaces.confirm(self.entry("b"), for: "/b/c/x")
        for (target, expected) in [
            ("/a/y", "a"), ("/a/d/y", "a"), ("/a?/b/c/", "b"), ("/b/c/d/y", "b"), ("/b/y", "b"), ("/z/y", "b"),
        ] {
            #expect(self.realm(target, spaces) == expected, "\(target)")
        }
        spaces.confirm(self.entry("a"), for: "/a/x")
        #expect(self.realm("/z/y", spaces) == "a")
    }

    @Test(.bug(id: "F248")) func `a server cannot make the list of directories grow without limit`() throws {
        let spaces = KnownSpaces(largestCount: 4)
        spaces.confirm(self.entry("a"), for: "/a/x")
        for number in 0..<1_000 { spaces.confirm(self.entry("b"), for: "/b/\(number)/x") }
        let known = try #require(spaces.entry(Stage.home, "/b/7/x", .rule, nil))
        #expect(known.space.realm == "b")
        #expect(known.directories.count == KnownSpaces.largestDirectoryCount)
        #expect(self.realm("/a/y", spaces) == "a")
    }

    @Test func `a space that was never confirmed gives way to those that were`() throws {
        let spaces = KnownSpaces(largestCount: 2)
        spaces.confirm(self.entry("a"), for: "/a/x")
        let field = #"Digest realm="r", nonce="n", qop=auth"#
        let sent = try #require(HTTPChallenge.challenges(in: [.wwwAuthenticate: field]).first)
        let challenge = try #require(DigestChallenge(sent))
        for realm in ["b", "c", "d"] {
            var entry = self.entry(realm)
            entry.owner = .oneRequest
            _ = spaces.session(for: challenge, of: entry)
        }
        #expect(self.realm("/a/x", spaces) == "a")
    }
}
