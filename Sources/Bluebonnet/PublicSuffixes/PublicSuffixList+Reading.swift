// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

extension PublicSuffixList {
    /// The largest file that is read, in bytes: 16 MiB.
    private static var largestFile: Int { 16 * 1024 * 1024 }

    /// Parses a list in its published form, to use a newer one than that of the package.
    ///
    /// Lines without a rule are ignored.
    ///
    /// - Parameter text: The bytes of `public_suffix_list.dat`.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidConfiguration`` if there is no rule in it.
    public init(_ text: some Sequence<UInt8>) throws(SessionError) {
        var rules: [[UInt8]: UInt8] = [:]
        var shift: UInt8 = 0
        for line in Array(text).split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "// ===BEGIN PRIVATE DOMAINS===".utf8) { shift = 3 }
            guard let (domain, rule) = Self.rule(of: line) else { continue }
            rules[domain, default: 0] |= rule.rawValue << shift
        }
        guard !rules.isEmpty else {
            throw SessionError(.invalidConfiguration, reason: "the list of public suffixes holds no rule")
        }
        var table: [UInt8] = []
        for (domain, flags) in rules.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            table += domain
            table += [0x40 | flags, UInt8(ascii: "\n")]
        }
        self.init(table: table)
    }

    /// Reads a list in its published form from a file, blocking the thread.
    ///
    /// - Parameter file: The file, for example `/usr/share/publicsuffix/public_suffix_list.dat`, of 16 MiB at most.
    /// - Throws: ``SessionError`` with ``SessionError/Code/storageFailed`` if the file cannot be read, or with
    ///   ``SessionError/Code/invalidConfiguration`` if there is no rule in it.
    public init(contentsOf file: URL) throws(SessionError) {
        let bytes: [UInt8]
        do {
            bytes = try FileContent.read(file.path(percentEncoded: false), upTo: Self.largestFile)
        } catch {
            throw SessionError(
                .storageFailed,
                reason: "the list of public suffixes could not be read: \(error.text)",
                underlying: error
            )
        }
        try self.init(bytes)
    }

    /// The rule in a line: everything up to the first white space, unless the line is a comment.
    private static func rule(of line: ArraySlice<UInt8>) -> (domain: [UInt8], rule: Rules)? {
        let word = line.prefix { $0 > 0x20 }
        guard !word.isEmpty, !word.starts(with: "//".utf8) else { return nil }
        var (name, rule) = (word, Rules.rule)
        if word.starts(with: "*.".utf8) { (name, rule) = (word.dropFirst(2), .wildcard) }
        if word.first == UInt8(ascii: "!") { (name, rule) = (word.dropFirst(), .exception) }
        var domain: [UInt8] = []
        for label in name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard let ascii = SuffixLabel.ascii(label), !ascii.isEmpty else { return nil }
            if !domain.isEmpty { domain.append(UInt8(ascii: ".")) }
            domain += ascii
        }
        return domain.isEmpty ? nil : (domain, rule)
    }
}
