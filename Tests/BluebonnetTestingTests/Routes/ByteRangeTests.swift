// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetTesting

struct ByteRangeTests {
    @Test(arguments: [
        ([], ByteRange.whole),
        (["bytes=0-9"], .part(0..<10)),
        (["bytes=90-"], .part(90..<100)),
        (["bytes=90-1000"], .part(90..<100)),
        (["bytes=-10"], .part(90..<100)),
        (["bytes=-1000"], .part(0..<100)),
        (["Bytes=99-99"], .part(99..<100)),
        (["bytes=0-99999999999999999999999"], .part(0..<100)),
        (["bytes=100-"], .unsatisfiable),
        (["bytes=99999999999999999999-"], .unsatisfiable),
        (["bytes=-0"], .unsatisfiable),
        (["bytes=9-0"], .whole),
        (["bytes=a-b"], .whole),
        (["bytes=-"], .whole),
        (["bytes=+1-2"], .whole),
        (["bytes=0-1,3-4"], .whole),
        (["lines=0-1"], .whole),
        (["bytes"], .whole),
        (["bytes=0-1", "bytes=2-3"], .whole),
    ])
    func `reads a Range field as RFC 9110 says`(fields: [String], range: ByteRange) {
        #expect(ByteRange(fields, length: 100) == range)
    }

    @Test func `of nothing, only the whole can be given`() {
        #expect(ByteRange(["bytes=0-"], length: 0) == .unsatisfiable)
        #expect(ByteRange(["bytes=-5"], length: 0) == .unsatisfiable)
        #expect(ByteRange([], length: 0) == .whole)
    }

    @Test(arguments: [
        (["\"a\""], true), (["W/\"a\""], true), (["\"b\", \"a\" "], true), (["*"], true), (["\"b\"", "\"a\""], true),
        (["\"b\""], false), ([], false), (["a"], false),
    ])
    func `compares entity tags weakly`(fields: [String], matches: Bool) {
        #expect(EntityTags(fields).matchWeakly("\"a\"") == matches)
    }

    @Test(
        .bug(id: "F306"),
        arguments: [
            (["\"a,b\""], "\"a,b\"", true, true), (["\"x\", \"a,b\""], "\"a,b\"", true, true),
            (["W/\"a,b\""], "\"a,b\"", true, false), (["\"a,b\""], "\"b\"", false, false),
            (["\"b\",\t\"a\""], "\"a\"", true, true), (["\t\"a\"\t,\t\"b\""], "\"b\"", true, true),
            (["\"a, b\", \"c\""], "\"c\"", true, true), (["\t*\t"], "\"a\"", true, true),
            ([",, \"a\""], "\"a\"", true, true), (["\"\""], "\"\"", true, true),
            (["x, \"a\""], "\"a\"", true, true), (["\"a"], "\"a\"", false, false), (["W/"], "\"\"", false, false),
        ] as [([String], String, Bool, Bool)]
    )
    func `finds the entity tags of a list as RFC 9110 says`(
        _ fields: [String],
        _ tag: String,
        _ isWeakMatch: Bool,
        _ isStrongMatch: Bool
    ) {
        #expect(EntityTags(fields).matchWeakly(tag) == isWeakMatch)
        #expect(EntityTags(fields).matchStrongly(tag) == isStrongMatch)
    }
}
