// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport

/// The hosts that a ``PinSet`` applies to.
///
/// `api.example.com` is one host, `*.example.com` every host with one label more, and `**.example.com` the name itself
/// with every host below it. An IP address, without brackets, is one host. Case and trailing dots are ignored.
struct HostPattern: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case host(TLSHost)
        /// One label before this text, which begins with a dot.
        case child(String)
        /// This name, and every name that ends in a dot and this name.
        case tree(String)
    }

    private let kind: Kind

    /// Parses a pattern.
    ///
    /// The result is nil if it is not a valid host, or an asterisk is anywhere but in the first label.
    ///
    /// - Parameter text: The pattern.
    init?(_ text: String) {
        if let rest = text.removingPrefix("**.") {
            guard let name = Self.name(rest) else { return nil }
            self.kind = .tree(name)
        } else if let rest = text.removingPrefix("*.") {
            guard let name = Self.name(rest) else { return nil }
            self.kind = .child("." + name)
        } else {
            guard let host = Self.host(text) else { return nil }
            self.kind = .host(host)
        }
    }

    /// Whether the pattern includes a host.
    ///
    /// - Parameter host: The result of ``host(_:)`` for the host of a URL.
    /// - Returns: Whether it is.
    func includes(_ host: TLSHost) -> Bool {
        if case .host(let own) = self.kind { return own == host }
        return host.name.map(self.includes(name:)) ?? false
    }

    /// Whether the pattern includes a name, even one that no certificate can be for.
    ///
    /// - Parameter name: The name in lower case, without a trailing dot.
    /// - Returns: Whether it does; false for a pattern of one host.
    func includes(name: String) -> Bool {
        switch self.kind {
        case .host: return false
        case .child(let suffix):
            guard name.utf8.ends(with: suffix.utf8) else { return false }
            let label = name.utf8.dropLast(suffix.utf8.count)
            return !label.isEmpty && !label.contains(UInt8(ascii: "."))
        case .tree(let own): return name.utf8.elementsEqual(own.utf8) || name.utf8.ends(with: ("." + own).utf8)
        }
    }

    /// A host in the form of patterns; nil if no certificate can be for it.
    static func host(_ text: String) -> TLSHost? { try? TLSHost(Self.withoutDots(text)) }

    /// A host without trailing dots.
    static func withoutDots(_ text: String) -> String {
        var text = text[...]
        while text.utf8.last == UInt8(ascii: ".") { text.unicodeScalars.removeLast() }
        return String(text)
    }

    private static func name(_ text: String) -> String? { self.host(text)?.name }
}

extension String {
    /// The text after a prefix; nil if it does not begin with it.
    fileprivate func removingPrefix(_ prefix: String) -> String? {
        self.utf8.starts(with: prefix.utf8)
            ? String(decoding: self.utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
    }
}
