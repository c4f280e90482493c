// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// One case of the tables in Fixtures/caching: requests one after the other, what the server would answer, and where the answer comes from.
struct CacheCase: Sendable, Decodable, CustomTestStringConvertible {
    var name: String
    var shared: Bool?
    var steps: [Step]

    var testDescription: String { self.name }

    /// One request.
    ///
    /// Fields are lines; `@60` in a line stands for the date 60 seconds after the beginning.
    struct Step: Sendable, Decodable {
        /// When, in seconds after the beginning.
        var at: Int64
        var method: String?
        /// `/path`, at the host `h`, or a whole URL; `/x` unless given.
        var url: String?
        var policy: RequestOptions.CachePolicy?
        var request: [String]?
        /// What the server answers if it is asked: 200 with a lifetime of an hour, and a body of its own for each step, unless given.
        var answer: Answer?
        var expect: Expectation
        var status: Int?
        var body: String?
        /// Fields that the response has.
        var has: [String]?
        /// Fields that it has not.
        var lacks: [String]?
        /// Fields that the server has got, and has not got.
        var sent: [String]?
        var unsent: [String]?
    }

    struct Answer: Sendable, Decodable {
        var status: Int?
        var headers: [String]?
        var body: String?
        /// Instead of a response: the code of an error.
        var error: String?
    }

    /// Where the response comes from.
    enum Expectation: String, Sendable, Decodable {
        /// From the server, which got the request as it was.
        case network
        /// From the store, and nobody was asked.
        case stored
        /// From the store, while the server is asked behind it.
        case refreshed
        /// From the store, after the server was asked and answered 304.
        case validated
        /// From the server, which was asked about the stored response and had another one.
        case replaced
        /// From the server, asked once more because its 304 was about something else.
        case again
        /// From the store, after the server failed.
        case rescued
        /// 504, and nobody was asked.
        case unavailable
        /// An error, and nobody was asked.
        case notCached
        /// The server's error.
        case failed
    }

    /// The beginning: Sun, 06 Nov 1994 08:49:37 GMT.
    static let start: Int64 = 784_111_777

    /// The cases of one file.
    static func load(_ name: String) throws -> [CacheCase] {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures/caching")
        )
        return try JSONDecoder().decode([CacheCase].self, from: Data(contentsOf: url))
    }

    /// Reads lines as fields.
    static func fields(_ lines: [String]?) throws -> HTTPFields {
        var fields = HTTPFields()
        for line in lines ?? [] {
            let colon = try #require(line.firstIndex(of: ":"))
            let name = try #require(HTTPField.Name(String(line[..<colon])))
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields.append(HTTPField(name: name, value: Self.date(String(value)) ?? String(value)))
        }
        return fields
    }

    /// `@60` as a date; `@60:rfc850` and `@60:asctime` in the older forms; nil for anything else.
    private static func date(_ text: String) -> String? {
        guard text.hasPrefix("@") else { return nil }
        let parts = text.dropFirst().split(separator: ":")
        guard let offset = parts.first.flatMap({ TimeInterval($0) }) else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat =
            switch parts.dropFirst().first {
            case "rfc850": "EEEE, dd-MMM-yy HH:mm:ss 'GMT'"
            case "asctime": "EEE MMM d HH:mm:ss yyyy"
            default: "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            }
        let date = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(Self.start) + offset))
        // asctime pads the day with a space, and the day is one digit here.
        return parts.last == "asctime" ? date.replacingOccurrences(of: "Nov 6", with: "Nov  6") : date
    }
}
