// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

extension TargetURL {
    /// The part of a URL between `//` and the path: user information, host and port.
    struct Authority {
        /// The host and port, in the form in which they are part of the URL.
        var text: String

        /// The user information before the `@`; nil if there is none.
        var userInfo: UserInfo?

        /// Parses an authority.
        ///
        /// - Parameters:
        ///   - authority: The authority component.
        ///   - whole: The URL without its user information, for error messages.
        /// - Throws: `CommandFailure` with the reason.
        init(_ authority: Substring, in whole: String) throws(CommandFailure) {
            var rest = authority
            if let at = rest.unicodeScalars.lastIndex(of: "@") {
                let info = rest[..<at]
                let parts = info.split(atScalar: ":") ?? (info, "")
                self.userInfo = UserInfo(user: Self.decoded(parts.before), password: Self.decoded(parts.after))
                rest = rest[rest.unicodeScalars.index(after: at)...]
            }
            let (written, port) = try Self.split(rest, in: whole)
            let host = try Self.ascii(written)
            try Self.check(host: host, in: whole)
            self.text = Self.dotted(host) ?? host
            if let port, !port.isEmpty {
                guard let number: Int = port.utf8.decimalNumber(), (1...65535).contains(number) else {
                    throw .usage("“\(port)” is not a port in “\(whole)”: write a number from 1 to 65535 after the host")
                }
                self.text += ":\(number)"
            }
        }

        private static func split(_ text: Substring, in whole: String) throws(CommandFailure) -> (Substring, Substring?)
        {
            if text.starts(withScalars: "[") {
                guard let end = text.firstIndex(ofScalar: "]") else {
                    throw .usage("“\(whole)” lacks the “]” after an IPv6 address")
                }
                let after = text[text.unicodeScalars.index(after: end)...]
                guard after.isEmpty || after.starts(withScalars: ":") else {
                    throw .usage("“\(whole)” has text between the “]” of an IPv6 address and the path")
                }
                let host = text[..<text.unicodeScalars.index(after: end)]
                return (host, after.isEmpty ? nil : after.droppingScalars(1))
            }
            guard let (host, port) = text.split(atScalar: ":") else { return (text, nil) }
            if port.contains(scalar: ":") {
                try Self.checkZone(text)
                let isAddress = text.utf8.allSatisfy { Self.addressBytes.contains($0) } && !text.contains(scalar: ".")
                let advice =
                    isAddress
                    ? "write an IPv6 address in brackets, “[\(text)]”" : "write the host, one colon and the port"
                throw .usage("“\(text)” has more than one colon: \(advice)")
            }
            return (host, port)
        }

        /// Returns the host in lower case and in its ASCII form.
        private static func ascii(_ host: Substring) throws(CommandFailure) -> String {
            if host.utf8.allSatisfy({ $0 < 0x80 }) { return host.asciiLowercased }
            guard let ascii = InternationalHost.ascii(host) else {
                throw .usage("the host “\(host)” has characters that no host has: write it in its “xn--” form")
            }
            return ascii
        }

        /// Returns an IPv4 address in four decimal numbers, as browsers and curl do (WHATWG URL section 3.5).
        ///
        /// In another notation, such as `127.1`, it would be another host for cookies, `no_proxy` and netrc.
        ///
        /// - Returns: The address; nil for a name.
        private static func dotted(_ host: String) -> String? {
            let parts = host.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count <= 4 else { return nil }
            var address: UInt64 = 0
            for (index, part) in parts.enumerated() {
                // The last number stands for all bytes that are left.
                let bitCount = index == parts.count - 1 ? 8 * (5 - parts.count) : 8
                guard let number = Self.number(Substring(part)), number < 1 << UInt64(bitCount) else { return nil }
                address = address << bitCount | number
            }
            return [24, 16, 8, 0].map { String(address >> $0 & 0xFF) }.joined(separator: ".")
        }

        /// Reads a decimal number, an octal one that begins with 0, or a hexadecimal one that begins with 0x.
        private static func number(_ text: Substring) -> UInt64? {
            guard text.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
            if text.starts(withScalars: "0x") { return UInt64(text.droppingScalars(2), radix: 16) }
            return UInt64(text, radix: text.starts(withScalars: "0") ? 8 : 10)
        }

        private static func check(host: String, in whole: String) throws(CommandFailure) {
            guard !host.isEmpty else {
                throw .usage("“\(whole)” has no host: write for example “http://localhost:8080/path” or “:8080/path”")
            }
            if host.starts(withScalars: "[") {
                try Self.checkZone(host[...])
                let inner = host.utf8.dropFirst().dropLast()
                guard inner.contains(UInt8(ascii: ":")), inner.allSatisfy({ Self.addressBytes.contains($0) }) else {
                    throw .usage("“\(host)” is not an IPv6 address")
                }
                return
            }
            let bad = host.unicodeScalars.first {
                let byte = UInt8(truncatingIfNeeded: $0.value)
                return !(byte.isASCIIAlphanumeric || "-._~%!$&'()*+,;=".utf8.contains(byte))
            }
            if let bad {
                throw .usage(
                    "the host “\(host)” holds “\(bad)”: quote items that hold spaces, and put the URL before them"
                )
            }
        }

        /// Refuses the zone of an address such as `fe80::1%eth0` (RFC 6874).
        private static func checkZone(_ host: Substring) throws(CommandFailure) {
            guard let (address, zone) = host.split(atScalar: "%"), address.contains(scalar: ":") else { return }
            let name = zone.ends(withScalars: "]") ? String(zone.unicodeScalars.dropLast()) : String(zone)
            throw .usage("“\(host)” has a zone, “%\(name)”, which is not supported: write an address without one")
        }

        private static let addressBytes = Set("0123456789abcdefABCDEF:.".utf8)

        private static func decoded(_ text: Substring) -> String {
            (try? PercentDecoding.decode(text)) ?? String(text)
        }
    }
}
