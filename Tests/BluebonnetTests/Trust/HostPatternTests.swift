// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bluebonnet

@Suite struct HostPatternTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var pattern: String
        var fits: [String]
        var others: [String]

        var testDescription: String { self.pattern }

        static let all: [Case] = [
            .init(
                pattern: "a.example.com",
                fits: ["a.example.com", "A.Example.COM", "a.example.com.", "a.example.com.."],
                others: ["example.com", "b.a.example.com", "xa.example.com", "a.example.com.evil.test", "a.example.co"]
            ),
            .init(pattern: "A.EXAMPLE.com.", fits: ["a.example.com"], others: ["b.example.com"]),
            .init(
                pattern: "*.example.com",
                fits: ["a.example.com", "xn--bcher-kva.example.com", "A.EXAMPLE.COM."],
                others: ["example.com", ".example.com", "a.b.example.com", "aexample.com", "a.example.com.evil.test"]
            ),
            .init(
                pattern: "**.example.com",
                fits: ["example.com", "a.example.com", "a.b.example.com", "EXAMPLE.com."],
                others: ["aexample.com", "example.com.evil.test", "com", "xample.com"]
            ),
            .init(
                pattern: "192.0.2.1",
                fits: ["192.0.2.1"],
                others: ["192.0.2.10", "192.0.2.1.example", "::ffff:192.0.2.1"]
            ),
            .init(pattern: "2001:db8::1", fits: ["2001:db8:0:0:0:0:0:1", "2001:DB8::1"], others: ["2001:db8::2"]),
            .init(pattern: "localhost", fits: ["localhost", "LOCALHOST."], others: ["localhost.test", "127.0.0.1"]),
        ]
    }

    @Test(arguments: Case.all) func `fits the hosts that are meant`(_ pattern: Case) throws {
        let read = try #require(HostPattern(pattern.pattern))
        for text in pattern.fits {
            #expect(try read.includes(#require(HostPattern.host(text))), "\(text)")
        }
        for text in pattern.others {
            #expect(HostPattern.host(text).map(read.includes) ?? false == false, "\(text)")
        }
    }

    @Test(arguments: [
        "", ".", "*", "*.", "**", "**.", "***.example.com", "a.*.example.com", "a*.example.com", "*.*.example.com",
        "*.192.0.2.1", "**.::1", "[::1]", "https://example.com", "example.com:443", "example.com/", "bücher.example",
        "a b.example", "a\0.example", "*.exa\u{301}mple.com",
    ]) func `refuses what is no pattern of hosts`(_ text: String) {
        #expect(HostPattern(text) == nil)
    }
}
