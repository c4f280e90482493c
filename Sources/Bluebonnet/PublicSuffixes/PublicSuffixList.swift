// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import CPublicSuffixes

/// The domains that are public suffixes, under which anyone can register a name: `com`, `co.uk`, `github.io`.
///
/// A cookie for a public suffix would be sent to every domain below it, so a ``CookieJar`` refuses it. The rules are
/// those of the [Public Suffix List](https://publicsuffix.org/), with its wildcards and exceptions. The public suffix
/// of a domain without a rule is its last label. International domains are compared in their ASCII form, `xn--…`.
///
/// ```swift
/// let domain = PublicSuffixList.builtIn.registrableDomain(of: "www.example.co.uk")  // example.co.uk
/// ```
public struct PublicSuffixList: Sendable {
    /// The sections of the list.
    public enum Sections: Sendable, Hashable {
        /// The suffixes of registries: `com`, `co.uk`.
        case icann
        /// Also the domains whose owners give names below them to others: `github.io`, `s3.amazonaws.com`.
        case all
    }

    /// The rules of the list for a domain.
    struct Rules: OptionSet, Sendable {
        let rawValue: UInt8

        static let rule = Self(rawValue: 1)
        static let wildcard = Self(rawValue: 2)
        static let exception = Self(rawValue: 4)

        /// The rules of the given sections; those of private domains are stored three bits higher.
        func within(_ sections: Sections) -> Rules {
            let icann = self.rawValue & 0b111
            return Rules(rawValue: sections == .all ? icann | self.rawValue >> 3 : icann)
        }
    }

    /// The list in the package, as of its generation; see `scripts/generate-public-suffixes`.
    public static let builtIn = PublicSuffixList(table: nil)

    /// The sections that apply: both unless changed.
    public var sections = Sections.all

    /// The lines of a list that was read at run time; nil for the one in the package.
    private let table: [UInt8]?

    init(table: [UInt8]?) {
        self.table = table
    }

    /// The public suffix that a host ends with.
    ///
    /// - Parameter host: A host name in its ASCII form, in any case.
    /// - Returns: The suffix in lower case, which is the whole name if that is a public suffix. Nil for an IP address
    ///   and for an invalid host name with an empty label.
    public func publicSuffix(of host: String) -> String? {
        let bytes = host.utf8.map(\.asciiLowercased)
        return self.suffixStart(of: bytes).map { String(decoding: bytes[$0...], as: UTF8.self) }
    }

    /// The registrable part of a host: its public suffix and one label more.
    ///
    /// - Parameter host: A host name in its ASCII form, in any case.
    /// - Returns: The domain in lower case. Nil for a public suffix, for an IP address, and for an invalid host name.
    public func registrableDomain(of host: String) -> String? {
        let bytes = host.utf8.map(\.asciiLowercased)
        guard let start = self.suffixStart(of: bytes), start > 0 else { return nil }
        let dot = bytes[..<(start - 1)].lastIndex(of: UInt8(ascii: "."))
        return String(decoding: bytes[(dot.map { $0 + 1 } ?? 0)...], as: UTF8.self)
    }

    /// Whether a domain is a public suffix.
    ///
    /// - Parameter domain: A domain in its ASCII form, in any case.
    /// - Returns: Whether it is one.
    public func isPublicSuffix(_ domain: String) -> Bool {
        self.suffixStart(of: domain.utf8.map(\.asciiLowercased)) == 0
    }

    /// Where the public suffix of a host in lower case begins.
    ///
    /// The longest rule applies; an exception overrides all others, and removes its first label.
    private func suffixStart(of host: [UInt8]) -> Int? {
        let starts = Self.labelStarts(of: host)
        guard let last = starts.last, !HostName.isAddress(host) else { return nil }
        return self.withLines { lines in
            var rules = lines.rules(of: host[...]).within(self.sections)
            for (start, next) in zip(starts, starts.dropFirst()) {
                let above = lines.rules(of: host[next...]).within(self.sections)
                if rules.contains(.exception) { return next }
                if rules.contains(.rule) || above.contains(.wildcard) { return start }
                rules = above
            }
            return last
        }
    }

    /// Where the labels begin; empty if one of them is empty.
    private static func labelStarts(of host: [UInt8]) -> [Int] {
        var starts = [0]
        for (index, byte) in host.enumerated() where byte == UInt8(ascii: ".") {
            guard starts.last != index else { return [] }
            starts.append(index + 1)
        }
        return starts.last == host.count ? [] : starts
    }

    private func withLines<Result>(_ body: (PublicSuffixLines) -> Result) -> Result {
        if let table {
            return table.withUnsafeBytes { body(PublicSuffixLines(bytes: $0)) }
        }
        let count = bluebonnet_public_suffixes_size()
        return body(PublicSuffixLines(bytes: UnsafeRawBufferPointer(start: bluebonnet_public_suffixes(), count: count)))
    }
}

/// The rules as text: one line for each domain, sorted by its bytes.
///
/// The last byte of a line is 0x40 plus the rules for the domain before it.
struct PublicSuffixLines {
    let bytes: UnsafeRawBufferPointer

    /// Looks up the rules of a domain.
    ///
    /// - Complexity: O(log *n*) in the number of rules.
    func rules(of domain: ArraySlice<UInt8>) -> PublicSuffixList.Rules {
        var (lower, upper) = (0, self.bytes.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            let start = self.bytes[lower..<middle].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? lower
            guard let end = self.bytes[middle..<upper].firstIndex(of: UInt8(ascii: "\n")), end > start else {
                return []
            }
            let name = self.bytes[start..<(end - 1)]
            if name.elementsEqual(domain) {
                return PublicSuffixList.Rules(rawValue: self.bytes[end - 1] & 0x3F)
            }
            if name.lexicographicallyPrecedes(domain) { lower = end + 1 } else { upper = start }
        }
        return []
    }
}
