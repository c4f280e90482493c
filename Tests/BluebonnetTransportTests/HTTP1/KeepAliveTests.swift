// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

@Suite(.bug(id: "F714")) struct KeepAliveTests {
    @Test(
        arguments: [
            ("timeout=5", 4_000), ("timeout=5, max=100", 4_000), ("max=100,Timeout=15", 14_000), ("timeout=2", 1_000),
            ("timeout=1", 500), ("timeout=0", 0), ("timeout=005", 4_000), ("timeout=x, timeout=5", 4_000),
            ("timeout=1000000000", 999_999_999_000),
            ("timeout=99999999999999999999999999999999999999999999", 999_999_999_000),
        ] as [(String, Int64)]
    ) func `a second of the announced time is left, or half of it`(
        _ value: String,
        milliseconds: Int64
    ) {
        #expect(KeepAlive.idleLimit(value) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", ",", "5", "timeout", "timeout=", "timeout=-5", "timeout=+5", "timeout=5s", "timeout=5.5", "timeout=٥",
        "timeout=\"5\"", "xtimeout=5", "max=100",
    ]) func `a field without a number of seconds says nothing`(_ value: String) {
        #expect(KeepAlive.idleLimit(value) == nil)
    }
}
