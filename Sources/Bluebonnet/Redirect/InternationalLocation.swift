// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A Location field whose host is not ASCII, as some servers send it.
enum InternationalLocation {
    /// Returns the field with its host in ASCII (the URL standard's "domain to ASCII").
    ///
    /// - Parameter location: The bytes of the field.
    /// - Returns: The same bytes if the host is ASCII, or if there is none; nil if the host has no ASCII form.
    static func ascii(_ location: [UInt8]) -> [UInt8]? {
        guard let host = self.host(in: location), location[host].contains(where: { $0 >= 0x80 }) else {
            return location
        }
        guard let text = String(validating: location[host], as: UTF8.self),
            let ascii = InternationalHost.ascii(text)
        else { return nil }
        return location[..<host.lowerBound] + Array(ascii.utf8) + location[host.upperBound...]
    }

    /// The host of a reference with an authority (RFC 3986 section 3.2).
    private static func host(in location: [UInt8]) -> Range<Int>? {
        URLText.hostAndPort(in: location).map { place in
            place.lowerBound..<(location[place].firstIndex(of: UInt8(ascii: ":")) ?? place.upperBound)
        }
    }
}
