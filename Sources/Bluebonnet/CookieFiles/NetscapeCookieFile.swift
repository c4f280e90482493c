// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// The format of `cookies.txt`, used by Netscape and exchanged by curl, wget and browser extensions.
///
/// A line has seven fields separated by tabs: domain, whether subdomains get the cookie, path, whether it is secure,
/// its expiry in seconds since 1970, name, value. The expiry of a session cookie is 0, or empty in files that Python
/// writes. `#HttpOnly_` before the domain is curl's mark for HttpOnly; any other line that begins with `#` is a comment.
enum NetscapeCookieFile {
    private static let httpOnly = Array("#HttpOnly_".utf8)

    /// Parses the lines that hold a cookie.
    ///
    /// - Parameters:
    ///   - text: The bytes of the file.
    ///   - time: The creation time of the cookies.
    /// - Returns: The cookies in the order of the lines; other lines are ignored.
    static func cookies(in text: some Collection<UInt8>, at time: Date) -> [Cookie] {
        text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.compactMap { self.cookie(Array($0), time) }
    }

    private static func cookie(_ line: [UInt8], _ time: Date) -> Cookie? {
        let isHTTPOnly = line.starts(with: self.httpOnly)
        guard isHTTPOnly || line.first != UInt8(ascii: "#") else { return nil }
        let fields = line.dropFirst(isHTTPOnly ? self.httpOnly.count : 0)
            .split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        // A line without a tab at its end has no value.
        guard fields.count == 7 || fields.count == 6,
            let seconds = fields[4].isEmpty ? 0 : Int64(String(decoding: fields[4], as: UTF8.self)),
            let host = try? Cookie.host(Array(fields[0]))
        else { return nil }
        let cookie = Cookie(
            Cookie.Identity(
                name: Array(fields[5]),
                domain: host,
                isHostOnly: !self.isTrue(fields[1]),
                path: String(decoding: fields[2], as: UTF8.self)
            ),
            fields.count == 7 ? Array(fields[6]) : [],
            created: time,
            expires: seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds)),
            isSecure: self.isTrue(fields[3]),
            isHTTPOnly: isHTTPOnly,
            sameSite: .unspecified
        )
        return (try? cookie.checkAsMade()) == nil ? nil : cookie
    }

    private static func isTrue(_ field: ArraySlice<UInt8>) -> Bool {
        field.map(\.asciiLowercased).elementsEqual("true".utf8)
    }

    /// Encodes cookies.
    ///
    /// - Parameter cookies: The cookies.
    /// - Returns: The bytes of the file, and the cookies that it cannot hold: those without a name, and those with a tab.
    static func text(of cookies: [Cookie]) -> (bytes: [UInt8], omitted: [Cookie]) {
        var text = Array("# Netscape HTTP Cookie File\n# Made by Bluebonnet.\n\n".utf8)
        var omitted: [Cookie] = []
        for cookie in cookies {
            let tab = UInt8(ascii: "\t")
            guard !cookie.nameBytes.isEmpty, !cookie.nameBytes.contains(tab), !cookie.valueBytes.contains(tab),
                !cookie.path.utf8.contains(tab)
            else {
                omitted.append(cookie)
                continue
            }
            let fields: [[UInt8]] = [
                (cookie.isHTTPOnly ? self.httpOnly : []) + Array((cookie.isHostOnly ? "" : ".").utf8)
                    + Array(cookie.domain.utf8),
                Array((cookie.isHostOnly ? "FALSE" : "TRUE").utf8),
                Array(cookie.path.utf8),
                Array((cookie.isSecure ? "TRUE" : "FALSE").utf8),
                Array(String(self.seconds(cookie.expires)).utf8),
                cookie.nameBytes,
                cookie.valueBytes,
            ]
            text += Array(fields.joined(separator: [tab])) + [UInt8(ascii: "\n")]
        }
        return (text, omitted)
    }

    /// The expiry of a cookie in seconds, rounded up; 0 for the end of the session.
    private static func seconds(_ date: Date?) -> Int64 {
        guard let seconds = date?.timeIntervalSince1970.rounded(.up), !seconds.isNaN else { return 0 }
        return Int64(max(1, min(seconds, 253_402_300_799)))
    }
}
