// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite struct ProgressLineTests {
    /// A transfer that goes at a steady rate.
    private func meter(
        _ completed: Int64,
        of total: Int64?,
        after seconds: Int
    ) -> (meter: ProgressMeter, now: ContinuousClock.Instant) {
        let start = ContinuousClock.now
        var meter = ProgressMeter(at: start, total: total)
        for second in 1...seconds {
            meter.note(completed * Int64(second) / Int64(seconds), at: start + .seconds(second))
        }
        return (meter, start + .seconds(seconds))
    }

    private static let mebibyte: Int64 = 1 << 20

    @Test func `shows how much, how fast and how long`() {
        let (meter, now) = self.meter(64 * Self.mebibyte, of: 256 * Self.mebibyte, after: 4)
        let line = ProgressLine(title: "Uploading", columns: 100, allowsUnicode: true).text(for: meter, at: now)
        #expect(
            line == "Uploading   25%  │███████▌                      │   64.0 MiB of 256.0 MiB  16.0 MiB/s  0:12 left"
        )
    }

    @Test func `uses plain characters where the terminal has no others`() {
        let (meter, now) = self.meter(128 * Self.mebibyte, of: 256 * Self.mebibyte, after: 4)
        let line = ProgressLine(title: "Up", columns: 80, allowsUnicode: false).text(for: meter, at: now)
        #expect(line == "Up   50%  [#########---------]  128.0 MiB of 256.0 MiB  32.0 MiB/s  0:04 left")
    }

    @Test func `shows the time where the length is not known`() {
        let (meter, now) = self.meter(10 * Self.mebibyte, of: nil, after: 5)
        let line = ProgressLine(title: "Downloading", columns: 80, allowsUnicode: true).text(for: meter, at: now)
        #expect(line == "Downloading  10.0 MiB  2.0 MiB/s  0:05")
    }

    @Test(
        .bug(id: "F94"),
        arguments: [
            (40, "Downloading   25%  │█   │  16.0 MiB/s"),
            (60, "Downloading   25%  │██████                  │  16.0 MiB/s"),
            (80, "Downloading   25%  │██▎      │   64.0 MiB of 256.0 MiB  16.0 MiB/s  0:12 left"),
        ]
    )
    func `a narrow line leaves out figures before its bar`(_ columns: Int, _ expected: String) {
        let (meter, now) = self.meter(64 * Self.mebibyte, of: 256 * Self.mebibyte, after: 4)
        let line = ProgressLine(title: "Downloading", columns: columns, allowsUnicode: true).text(for: meter, at: now)
        #expect(line == expected)
    }

    @Test func `requests are counted by themselves`() {
        let (meter, now) = self.meter(250, of: 1000, after: 5)
        var line = ProgressLine(title: "Sending", columns: 80, allowsUnicode: false)
        line.unit = .requests
        #expect(line.text(for: meter, at: now).hasSuffix("]   250 of 1000  50/s  0:15 left"))
    }

    @Test(.bug(id: "F150"), arguments: 1...120)
    func `leaves room for the echo of Ctrl-C`(_ columns: Int) {
        let (meter, now) = self.meter(200 * Self.mebibyte, of: 256 * Self.mebibyte, after: 7)
        for allowsUnicode in [true, false] {
            let line = ProgressLine(title: "Downloading", columns: columns, allowsUnicode: allowsUnicode)
                .text(for: meter, at: now)
            #expect(line.count <= max(0, columns - 3))
        }
    }

    @Test func `is full only at the end`() {
        let (meter, now) = self.meter(999, of: 1000, after: 2)
        let line = ProgressLine(title: "Up", columns: 80, allowsUnicode: true).text(for: meter, at: now)
        #expect(line.contains(" 99%"))
    }

    @Test func `the rate follows what happens now`() {
        let start = ContinuousClock.now
        var meter = ProgressMeter(at: start, total: 1_000_000)
        meter.note(900_000, at: start + .seconds(1))
        for second in 2...10 { meter.note(900_000, at: start + .seconds(second)) }
        #expect(meter.rate(at: start + .seconds(10)) == 0)
        #expect(meter.remaining(at: start + .seconds(10)) == nil)
    }

    @Test func `nothing and everything of nothing`() {
        let now = ContinuousClock.now
        #expect(ProgressMeter(at: now, total: 0).fraction == 1)
        #expect(ProgressMeter(at: now).fraction == nil)
        #expect(ProgressMeter(at: now, total: 5).rate(at: now) == nil)
    }
}
