// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import BluebonnetSerialization

@Suite struct ISO8601TextTests {
    @Test(arguments: [
        (0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.500Z"), (0.001, "2001-01-01T00:00:00.001Z"),
        (0.000_001, "2001-01-01T00:00:00.000001Z"), (1e-9, "2001-01-01T00:00:00.000000001Z"),
        (-0.25, "2000-12-31T23:59:59.750Z"), (1e-12, "2001-01-01T00:00:00.000000000Z"),
        (-1e-12, "2001-01-01T00:00:00Z"), (123.456, "2001-01-01T00:02:03.456Z"),
        (-978_307_200, "1970-01-01T00:00:00Z"), (-978_307_200.5, "1969-12-31T23:59:59.500Z"),
        (-63_145_526_400, "0000-01-01T00:00:00Z"), (252_423_993_599.5, "9999-12-31T23:59:59.500Z"),
    ])
    func `writes as many digits as the moment has`(_ interval: Double, _ text: String) throws {
        #expect(try ISO8601Text.text(of: Date(timeIntervalSinceReferenceDate: interval)) == text)
    }

    @Test(arguments: [
        Double.nan, .infinity, -.infinity, 1e300, -1e300, -63_145_526_400.5, 252_423_993_600,
    ])
    func `refuses a moment outside of four digits`(_ interval: Double) {
        let error = #expect(throws: SerializationError.self) {
            try ISO8601Text.text(of: Date(timeIntervalSinceReferenceDate: interval))
        }
        #expect(error?.code == .unencodableValue)
    }

    @Test func `reads back every moment that it writes`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            // Moments as clocks give them: doubles from 1950 to 2080, in which a step is more than a nanosecond.
            let date = Date(timeIntervalSince1970: Double.random(in: -6e8...3.5e9, using: &generator))
            let text = try ISO8601Text.text(of: date)
            if abs(date.timeIntervalSinceReferenceDate) > 1e7 { #expect(ISO8601Text.date(of: text) == date, "\(text)") }
            #expect(abs(try #require(ISO8601Text.date(of: text)).timeIntervalSince(date)) < 1e-9)
        }
    }

    @Test(arguments: [
        ("2001-01-01T00:00:00Z", 0), ("2001-01-01t00:00:00z", 0), ("2001-01-01 00:00:00Z", 0),
        ("2001-01-01T00:00:00.5Z", 0.5), ("2001-01-01T00:00:00,25Z", 0.25),
        ("2001-01-01T00:00:00.1234567891111111111111Z", 0.123_456_789), ("2001-01-01T01:00:00+01:00", 0),
        ("2001-01-01T01:30:00+0130", 0), ("2000-12-31T23:00:00-01", 0), ("2000-12-31T23:59:60Z", 0),
        ("2000-02-29T00:00:00Z", -26_524_800), ("1970-01-01T00:00:00Z", -978_307_200),
        ("0000-02-29T00:00:00Z", -63_140_428_800), ("0000-01-01T00:00:00Z", -63_145_526_400),
        ("9999-12-31T23:59:59Z", 252_423_993_599),
    ])
    func `reads what RFC 3339 and ISO 8601 allow`(_ text: String, _ interval: Double) {
        #expect(ISO8601Text.date(of: text)?.timeIntervalSinceReferenceDate == interval)
    }

    @Test(arguments: [
        "", "2001", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01T00:00Z", "2001-1-01T00:00:00Z", "20010101T000000Z",
        "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00Zx", "2001-01-01T00:00:00+1", "2001-01-01T00:00:00+01:",
        "2001-01-01T00:00:00+24:00", "2001-01-01T00:00:00+01:60", "2001-00-01T00:00:00Z", "2001-13-01T00:00:00Z",
        "2001-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2001-04-31T00:00:00Z", "2001-01-00T00:00:00Z",
        "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:61Z", "+2001-01-01T00:00:00Z",
        "２001-01-01T00:00:00Z", "2001-01-01T00:00:00Z\u{301}", " 2001-01-01T00:00:00Z",
    ])
    func `refuses everything else`(_ text: String) {
        #expect(ISO8601Text.date(of: text) == nil)
    }
}
