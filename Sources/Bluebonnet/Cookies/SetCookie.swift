// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// A parsed Set-Cookie field, before any rule is applied (RFC 6265bis section 5.6).
struct SetCookie {
    var name: [UInt8]
    var value: [UInt8]

    /// The value of the last Domain attribute, in lower case and without a dot before it; empty if there is none.
    private(set) var domain: [UInt8] = []

    /// The value of the last Path attribute; nil if there is none, or if it does not begin with a slash.
    private(set) var path: [UInt8]?

    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite = Cookie.SameSite.unspecified

    private var expires: Date?
    private var maximumAge: Int?

    /// Parses the bytes of a field.
    ///
    /// - Parameters:
    ///   - field: The field's value.
    ///   - limits: The largest sizes.
    /// - Throws: The refusal of a field that is ignored entirely.
    init(_ field: some Collection<UInt8>, _ limits: CookieJar.Options) throws(Cookie.Refusal) {
        guard !field.contains(where: Self.isControl) else { throw .controlCharacter }
        let parts = field.split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
        let pair = parts.isEmpty ? [] : Array(parts[0])
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            self.name = Array(pair[..<equals].trimmingBlanks)
            self.value = Array(pair[(equals + 1)...].trimmingBlanks)
        } else {
            self.name = []
            self.value = Array(pair[...].trimmingBlanks)
        }
        guard !self.name.isEmpty || !self.value.isEmpty else { throw .empty }
        guard self.name.count + self.value.count <= limits.maximumPairByteCount else { throw .tooLarge }
        guard parts.count == 2 else { return }
        for attribute in parts[1].split(separator: UInt8(ascii: ";")) {
            self.take(Array(attribute), limits.maximumAttributeByteCount)
        }
    }

    /// The expiry of the cookie: Max-Age overrides Expires, and no cookie outlives the limit.
    ///
    /// - Parameters:
    ///   - time: The time now.
    ///   - limit: The longest lifetime of a cookie.
    /// - Returns: The expiry; nil for a session cookie.
    func expiry(at time: Date, limit: Duration) -> Date? {
        let longest = Int(limit.wholeSeconds)
        if let maximumAge {
            // The earliest date serves as any date in the past.
            return maximumAge <= 0 ? .distantPast : time.addingTimeInterval(Double(min(maximumAge, longest)))
        }
        return self.expires.map { min($0, time.addingTimeInterval(Double(longest))) }
    }

    /// Every control character but the tab.
    static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

    private mutating func take(_ attribute: [UInt8], _ limit: Int) {
        let equals = attribute.firstIndex(of: UInt8(ascii: "=")) ?? attribute.endIndex
        let value = Array(attribute[equals...].dropFirst().trimmingBlanks)
        guard value.count <= limit else { return }
        switch String(decoding: attribute[..<equals].trimmingBlanks.map(\.asciiLowercased), as: UTF8.self) {
        case "expires": if let date = CookieDate.parse(value) { self.expires = date }
        case "max-age": if let age = Self.age(value) { self.maximumAge = age }
        case "domain":
            self.domain = (value.first == UInt8(ascii: ".") ? value.dropFirst() : value[...]).map(\.asciiLowercased)
        case "path": self.path = value.first == UInt8(ascii: "/") ? value : nil
        case "secure": self.isSecure = true
        case "httponly": self.isHTTPOnly = true
        case "samesite": self.sameSite = Self.sameSite(value)
        default: break
        }
    }

    /// A number of seconds, limited to what fits; nil for an invalid number, which counts as a missing attribute.
    private static func age(_ value: [UInt8]) -> Int? {
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value[...]
        return digits.decimalNumber(clampedTo: Int.max).map { isNegative ? -$0 : $0 }
    }

    private static func sameSite(_ value: [UInt8]) -> Cookie.SameSite {
        switch String(decoding: value.map(\.asciiLowercased), as: UTF8.self) {
        case "none": .none
        case "strict": .strict
        case "lax": .lax
        default: .unspecified
        }
    }
}
