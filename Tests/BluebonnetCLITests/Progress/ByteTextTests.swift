// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite struct ByteTextTests {
    @Test(
        arguments: [
            (0, "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_575, "1.0 MiB"),
            (268_435_456, "256.0 MiB"), (Int64.max, "8192.0 PiB"),
        ] as [(Int64, String)]
    )
    func `writes sizes`(_ byteCount: Int64, _ text: String) {
        #expect(ByteText.size(byteCount) == text)
    }

    @Test(
        arguments: [
            (.zero, "0:00"), (.milliseconds(1), "0:01"), (.seconds(59), "0:59"), (.seconds(61), "1:01"),
            (.seconds(3723), "1:02:03"),
            (.seconds(-5), "0:00"),
        ] as [(Duration, String)]
    )
    func `writes times`(_ duration: Duration, _ text: String) {
        #expect(ByteText.clock(duration) == text)
    }

    @Test(
        arguments: [
            (.microseconds(1234), "1.2 ms"), (.milliseconds(999), "999.0 ms"), (.milliseconds(1234), "1.23 s"),
            (.seconds(90), "90.00 s"),
        ] as [(Duration, String)]
    )
    func `writes spans`(_ duration: Duration, _ text: String) {
        #expect(ByteText.span(duration) == text)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1])
    func `an impossible rate is no number`(_ rate: Double) {
        #expect(ByteText.rate(rate) == "- B/s")
    }
}
