// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// `Retry-After`, and the dates of HTTP.
@Suite(.timeLimit(.minutes(1))) struct RetryAfterTests {
    // MARK: Dates

    /// 22 November 2026, 03:00:00 GMT.
    private static let now: Int64 = 1_795_316_400

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            // The name of the day is not compared.
            ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            // A year of two digits is at most 50 years ahead.
            ("Sunday, 22-Nov-76 03:00:00 GMT", 3_373_239_600), ("Tuesday, 22-Nov-77 03:00:00 GMT", 249_015_600),
            ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800), ("Sunday, 22-Nov-26 03:00:00 GMT", 1_795_316_400),
        ] as [(String, Int64)]
    )
    func `a date is read in its three forms`(_ text: String, _ expected: Int64) {
        #expect(HTTPDate.seconds(text.utf8[...], now: Self.now) == expected)
    }

    @Test(arguments: [
        "", "Sun", "Sun,", "Sun, ", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Thu, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
        "1994-11-06T08:49:37Z", "Sun, 0６ Nov 1994 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT\u{301}",
    ])
    func `anything else is no date`(_ text: String) {
        #expect(HTTPDate.seconds(text.utf8[...], now: Self.now) == nil)
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_825_600, "Tue, 29 Feb 2000 12:00:00 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (1_709_294_400, "Fri, 01 Mar 2024 12:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
            // What no date of four digits is.
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (.min, "Mon, 01 Jan 0001 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func `a moment is written as a date`(_ seconds: Int64, _ expected: String) {
        #expect(HTTPDate.text(seconds) == expected)
    }

    @Test func `every day of fifty years is one day after the day before`() {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var last: Int64?
        var count = 0
        for year in 1990..<2040 {
            for month in months {
                for day in 1...31 {
                    let text = "Mon, \(day < 10 ? "0" : "")\(day) \(month) \(year) 00:00:00 GMT"
                    guard let seconds = HTTPDate.seconds(text.utf8[...], now: 0) else { continue }
                    if let last { #expect(seconds == last + 86_400, "\(text)") }
                    #expect(HTTPDate.text(seconds).utf8.dropFirst(3).elementsEqual(text.utf8.dropFirst(3)))
                    last = seconds
                    count += 1
                }
            }
        }
        #expect(count == 18_262)
    }

    // MARK: The field

    struct FieldCase: Sendable, CustomTestStringConvertible {
        var values: [String]
        var date: String?
        var expected: Duration?

        init(_ values: String..., date: String? = nil, expected: Duration?) {
            self.values = values
            self.date = date
            self.expected = expected
        }

        var testDescription: String { "\(self.values), Date: \(self.date ?? "none")" }
    }

    @Test(arguments: [
        FieldCase("0", expected: .zero), FieldCase("120", expected: .seconds(120)),
        FieldCase(" 7\t", expected: .seconds(7)), FieldCase("007", expected: .seconds(7)),
        FieldCase("99999999999999999999999999", expected: .seconds(1 << 40)),
        FieldCase("-1", expected: nil), FieldCase("1.5", expected: nil), FieldCase("", expected: nil),
        FieldCase("soon", expected: nil), FieldCase("+5", expected: nil), FieldCase("٣", expected: nil),
        FieldCase("10", "20", expected: .seconds(20)), FieldCase("never", "3", expected: .seconds(3)),
        // Against the time of day.
        FieldCase("Sun, 22 Nov 2026 03:00:30 GMT", expected: .seconds(30)),
        FieldCase("Sunday, 22-Nov-26 03:00:30 GMT", expected: .seconds(30)),
        FieldCase("Sun Nov 22 03:00:30 2026", expected: .seconds(30)),
        FieldCase("Sun, 22 Nov 2026 02:59:00 GMT", expected: .zero),
        // Against the server's clock, which is a day behind.
        FieldCase(
            "Sat, 21 Nov 2026 03:00:30 GMT",
            date: "Sat, 21 Nov 2026 03:00:00 GMT",
            expected: .seconds(30)
        ),
        FieldCase("Sun, 22 Nov 2026 03:00:30 GMT", date: "yesterday", expected: .seconds(30)),
        FieldCase("120", date: "Sat, 21 Nov 2026 03:00:00 GMT", expected: .seconds(120)),
        FieldCase(
            "Fri, 31 Dec 9999 23:59:59 GMT",
            date: "Mon, 01 Jan 0001 00:00:00 GMT",
            expected: .seconds(315_537_897_599)
        ),
    ])
    func `the field is read in both forms`(_ one: FieldCase) {
        var headers = HTTPFields()
        for value in one.values { headers.append(HTTPField(name: .retryAfter, value: value)) }
        if let date = one.date { headers[.date] = date }
        #expect(RetryAfter.delay(headers, now: { Self.now }) == one.expected)
    }

    // MARK: In a call

    /// The clock, and a call that was answered with 503 and is answered with 200 next.
    private func call(
        _ headers: HTTPFields,
        _ policy: RetryPolicy
    ) -> (ManualSessionClock, StubTransport, Session) {
        let clock = ManualSessionClock()
        let transport = StubTransport(responses: [
            .success(.plain("busy", status: 503, headers: headers)), .success(.plain("done")),
        ])
        return (clock, transport, Session(configuration: .retrying(policy, clock: clock), transport: transport))
    }

    @Test(arguments: [["20"], ["Sun, 22 Nov 2026 03:00:20 GMT"]])
    func `a call waits as long as the server asks, and a random time more`(_ values: [String]) async throws {
        let (clock, transport, session) = self.call(
            [.retryAfter: values[0]],
            .slow(secondsSince1970: Self.now)
        )
        let request = try RetryTable.request("GET")
        let call = Task { try await session.response(for: request) }
        await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(20_499))
        #expect(transport.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        let response = try await call.value
        #expect(response.body == Data("done".utf8))
        #expect(response.failedAttempts.map(\.delay) == [.milliseconds(20_500)])
    }

    @Test(arguments: [("60", 2), ("61", 1), ("86400", 1), ("Sun, 22 Nov 2026 03:01:01 GMT", 1)])
    func `a time beyond the limit delivers the response`(_ value: String, _ expected: Int) async throws {
        var policy = RetryPolicy.immediate()
        policy.surroundings.secondsSince1970 = { Self.now }
        let (clock, transport, session) = self.call([.retryAfter: value], policy)
        let request = try RetryTable.request("GET")
        let call = Task { try await session.response(for: request) }
        if expected == 2 {
            await clock.waitForSleeps(1)
            clock.advance(by: .seconds(60))
        }
        let response = try await call.value
        #expect(response.status.code == (expected == 2 ? 200 : 503))
        #expect(transport.requests.count == expected)
    }

    @Test(.bug(id: "F477"), arguments: [503, 429, 200])
    func `the time that a response with a broken body asks for is kept`(_ status: Int) async throws {
        let clock = ManualSessionClock()
        try await TestServer.withServer { server in
            let broken = ScriptedResponse(
                status: .init(code: status),
                headers: [.retryAfter: "20"],
                body: .text("hello"),
                effect: .close(.afterBody(2))
            )
            server.enqueue(broken)
            server.enqueue(ScriptedResponse(body: .text("done")))
            let transport = try server.makeTransport()
            let configuration = Session.Configuration.retrying(.slow(secondsSince1970: Self.now), clock: clock)
            let session = Session(configuration: configuration, transport: transport)
            let request = try Request(parsing: server.url + "/")
            let call = Task { try await session.response(for: request) }
            await clock.waitForSleeps(1)
            clock.advance(by: .seconds(60))
            let response = try await call.value
            #expect(response.body == Data("done".utf8))
            // In a success the field says nothing.
            let expected: Duration = status == 200 ? .milliseconds(500) : .milliseconds(20_500)
            #expect(response.failedAttempts.map(\.delay) == [expected])
            await transport.shutdown()
        }
    }
}
