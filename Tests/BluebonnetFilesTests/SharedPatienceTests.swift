// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetFiles

@Suite struct SharedPatienceTests {
    @Test(.bug(id: "F415")) func `all wait until one moment, and a success or a pause begins a new wait`() {
        var patience = SharedPatience(limit: .seconds(1))
        let start = ContinuousClock.now
        let end = start + .seconds(1)
        #expect(patience.end(at: start) == end)
        // Those that come later share the wait, and find it over at its end.
        for delay in [0.5, 1, 5, 10.9] { #expect(patience.end(at: start + .seconds(delay)) == end) }
        #expect(patience.end(at: start + .seconds(11)) == start + .seconds(12))
        patience.reset()
        #expect(patience.end(at: start + .seconds(11.5)) == start + .seconds(12.5))
    }
}
