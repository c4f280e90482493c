// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A request for what is newer than a moment, or older: `--time-cond`.
struct CurlTimeCondition: Sendable {
    /// The name of the field that asks for it.
    let name: String

    /// The value of the field.
    let value: String

    /// Reads a value.
    ///
    /// - Parameter text: A date, or a file whose time is taken; with a hyphen before it, what is older is asked for.
    /// - Throws: `CommandFailure` if it is neither.
    init(_ text: String) throws(CommandFailure) {
        let isOlder = text.starts(withScalars: "-")
        let moment = isOlder || text.starts(withScalars: "+") ? String(text.droppingScalars(1)) : text
        guard let seconds = Self.seconds(moment) ?? Self.modificationTime(of: moment) else {
            throw .usage(
                "curl's --time-cond takes a date, for example “2024-12-31 23:59:59” or “Sun, 06 Nov 1994 08:49:37 GMT”, or a file: “\(moment)” is neither"
            )
        }
        self.name = isOlder ? "If-Unmodified-Since" : "If-Modified-Since"
        self.value = HTTPDate.text(seconds)
    }

    /// The seconds since 1970 of a date: one of HTTP's, or year, month and day in digits, with or without a time, in GMT.
    private static func seconds(_ text: String) -> Int64? {
        // The year of two digits that RFC 850 allows is of the century that the clock says.
        if let seconds = HTTPDate.seconds(text, now: Int64(time(nil))) { return seconds }
        let parts = text.unicodeScalars.split(whereSeparator: { $0 == " " || $0 == "T" || $0 == "Z" }).map {
            String($0)
        }
        guard (1...2).contains(parts.count) else { return nil }
        let digits = parts[0].utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 8, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        let day = String(decoding: digits, as: UTF8.self)
        let clock = parts.count == 2 ? parts[1] : "00:00:00"
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard let month = Int(day.prefix(6).suffix(2)), months.indices.contains(month - 1) else { return nil }
        return HTTPDate.seconds("Mon, \(day.suffix(2)) \(months[month - 1]) \(day.prefix(4)) \(clock) GMT", now: 0)
    }

    private static func modificationTime(of path: String) -> Int64? {
        var status = stat()
        guard !path.utf8.contains(0), stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        return Int64(status.st_mtimespec.tv_sec)
        #else
        return Int64(status.st_mtim.tv_sec)
        #endif
    }
}
