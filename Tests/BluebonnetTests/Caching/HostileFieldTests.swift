// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Fields of peers that mean no good, and fields by chance: nothing traps, nothing takes long, and what is strict stays strict.
@Suite(.timeLimit(.minutes(1))) struct HostileFieldTests {
    private static let words = [
        "max-age", "no-store", "no-cache", "private", "=", ",", "\"", "\\", " ", "\t", "0", "9", "99999999999999999999",
        "-", "x", ";", "é", "*",
    ]

    @Test func `any text is read without a trap, and no-store outside quotes is always seen`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &random)
            let text = (0..<count).map { _ in Self.words.randomElement(using: &random) ?? "" }.joined()
            let fields = Self.fields(text)
            let directives = CacheDirectives(fields)
            for number in [directives.maxAge, directives.sharedMaxAge] {
                #expect((0...(1 << 31)).contains(number ?? 0))
            }
            #expect(CacheDirectives(Self.fields("no-store,\(text)")).noStore)
            _ = EntityTag.list([text], matches: EntityTag("\"x\""))
            _ = ByteRangeRequest("bytes=\(text)")?.range(in: 10)
            _ = HTTPDate.seconds(text, now: 0)
        }
    }

    @Test func `a directive is read in any order`() {
        var random = SystemRandomNumberGenerator()
        let parts = [
            "max-age=10", "max-age=20", "no-cache=\"a, b\"", "private", "foo=\"x, no-store\"", "stale-if-error=5",
        ]
        let expected = CacheDirectives(Self.fields(parts.joined(separator: ",")))
        for _ in 0..<500 {
            let text = parts.shuffled(using: &random).joined(
                separator: [",", " , ", ",,"].randomElement(using: &random) ?? ","
            )
            #expect(CacheDirectives(Self.fields(text)) == expected)
        }
    }

    @Test(arguments: ["\"", ",", "a=\"", "\\", "max-age=\"1", "\"\\\""])
    func `a very long field takes no longer than its length`(_ unit: String) {
        let clock = ContinuousClock()
        func time(_ count: Int) -> Duration {
            let fields = Self.fields(String(repeating: unit, count: count))
            return (0..<3).map { _ in clock.measure { _ = CacheDirectives(fields) } }.min() ?? .zero
        }
        // A quadratic reading would take a hundred times as long.
        #expect(time(20_000) < time(2_000) * 40 + .milliseconds(20))
    }

    @Test func `every second of some days comes back from all three forms of a date`() throws {
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let (year, month) = (
                Int64.random(in: 1970...2069, using: &random), Int64.random(in: 1...12, using: &random)
            )
            let (day, hour) = (Int64.random(in: 1...28, using: &random), Int64.random(in: 0...23, using: &random))
            let (minute, second) = (Int64.random(in: 0...59, using: &random), Int64.random(in: 0...59, using: &random))
            let components = DateComponents(
                calendar: Calendar(identifier: .gregorian),
                timeZone: TimeZone(secondsFromGMT: 0),
                year: Int(year),
                month: Int(month),
                day: Int(day),
                hour: Int(hour),
                minute: Int(minute),
                second: Int(second)
            )
            let expected = Int64(try #require(components.date).timeIntervalSince1970)
            func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let (name, time) = (months[Int(month) - 1], "\(two(hour)):\(two(minute)):\(two(second))")
            let weekday = days.randomElement(using: &random) ?? "Mon"
            #expect(HTTPDate.seconds("\(weekday), \(two(day)) \(name) \(year) \(time) GMT", now: 0) == expected)
            #expect(
                HTTPDate.seconds("Monday, \(two(day))-\(name)-\(two(year % 100)) \(time) GMT", now: expected)
                    == expected
            )
            #expect(
                HTTPDate.seconds("\(weekday) \(name) \(day < 10 ? " " : "")\(day) \(time) \(year)", now: 0) == expected
            )
        }
    }

    @Test func `a clock far from any date does not overflow`() {
        for now in [Int64.min, -1, 0, .max] {
            for headers in [
                [.cacheControl: "max-age=99999999999"], [.expires: "Fri, 31 Dec 9999 23:59:59 GMT"], HTTPFields(),
            ] {
                let freshness = Freshness(
                    status: 200,
                    headers: headers,
                    directives: CacheDirectives(headers),
                    responseTime: 0,
                    responseDelay: 1 << 38,
                    rules: Freshness.Rules(heuristicPercentage: .max)
                )
                #expect(freshness.age(at: now) >= 0)
                #expect(freshness.lifetime >= 0)
            }
        }
    }

    private static func fields(_ text: String) -> HTTPFields {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .cacheControl, value: text))
        return fields
    }
}
