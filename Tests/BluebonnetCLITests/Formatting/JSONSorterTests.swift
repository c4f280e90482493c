// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import BluebonnetCLI

@Suite(.serialized) struct JSONSorterTests {
    private static func sorted(_ text: String) -> String? {
        JSONSorter.sorted(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#),
        (#" { "b" : [ 2 , 1 ] , "a" : { "d" : 1.50 , "c" : "x y" } } "#, #"{"a":{"c":"x y","d":1.50},"b":[2,1]}"#),
        (#"{"a":3,"b":1,"a":2,"a":1}"#, #"{"a":3,"a":2,"a":1,"b":1}"#),
        (#"{"ab":1,"a":2,"":3,"A":4,"é":5}"#, #"{"":3,"A":4,"a":2,"ab":1,"é":5}"#),
        (#"{"a\"b":1,"a":[{"z":{},"y":[]}]}"#, #"{"a":[{"y":[],"z":{}}],"a\"b":1}"#),
        ("{\"b\":1,\"a\":1}\n[3,1]\n\"x\"", "{\"a\":1,\"b\":1}\n[3,1]\n\"x\""),
        ("\u{FEFF}{\"b\":1,\"a\":1}", "{\"a\":1,\"b\":1}"),
        ("", ""), ("{}", "{}"), ("[]", "[]"),
    ])
    func `keys are sorted by their bytes, and nothing else changes its place`(_ text: String, _ expected: String) {
        #expect(Self.sorted(text) == expected)
    }

    @Test(arguments: [
        "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\" 1}", "{a:1}", "[1", "[1 2]", "\"", "\"\\", "]",
        String(repeating: "[", count: 600),
    ])
    func `what is no document is left to be printed as it came`(_ text: String) {
        #expect(Self.sorted(text) == nil)
    }

    /// Numbered keys, in no order.
    private static func object(_ count: Int) -> [UInt8] {
        Array("{\((0..<count).map { "\"k\($0 &* 7919 % count)\":\($0)" }.joined(separator: ","))}".utf8)
    }

    @Test(.bug(id: "F59")) func `time grows with the document, and memory is a few times its size`() throws {
        let seconds = try Scaling.seconds { factor in
            let document = Self.object(2_000 * factor)
            return { #expect(JSONSorter.sorted(document)?.isEmpty == false) }
        }
        #expect((seconds.last ?? 0) / (seconds.first ?? 1) < Scaling.largestGrowth, "\(seconds)")
        let document = Self.object(200_000)
        var result: [UInt8]?
        let growth = ResidentMemory.peakGrowth { result = JSONSorter.sorted(document) }
        #expect(result?.count == document.count)
        #expect(growth ?? 0 < 16 * document.count, "\(growth ?? 0) bytes for \(document.count)")
    }

    @Test(
        .bug(id: "F365"),
        arguments: [
            (#"{"z":1,"\u00e9":2,"B":3}"#, #"{"B":3,"z":1,"\u00e9":2}"#),
            (#"{"\u0062":1,"a":2,"b":3}"#, #"{"a":2,"\u0062":1,"b":3}"#),
            (#"{"\/":1,"\n":2,"\"":3,"!":4,"\\":5}"#, #"{"\n":2,"!":4,"\"":3,"\/":1,"\\":5}"#),
            (#"{"a!":1,"a":2}"#, #"{"a":2,"a!":1}"#),
            (#"{"\ud83d\ude00":1,"\uffff":2,"\ud83d":3,"😀":4}"#, #"{"\ud83d":3,"\uffff":2,"\ud83d\ude00":1,"😀":4}"#),
            (#"{"\ud83d\u0041":1,"\ud83d":2}"#, #"{"\ud83d":2,"\ud83d\u0041":1}"#),
            (#"{"b":1,"\q":2,"\u12":3,"\uzzzz":4}"#, #"{"\q":2,"\u12":3,"\uzzzz":4,"b":1}"#),
        ]
    )
    func `the place of a key does not depend on how it is written`(_ text: String, _ expected: String) {
        #expect(Self.sorted(text) == expected)
    }
}
