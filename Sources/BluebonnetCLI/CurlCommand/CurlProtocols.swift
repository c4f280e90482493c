// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles

/// The protocols that a command of curl allows: `--proto` and `--proto-redir`.
struct CurlProtocols: Sendable {
    private static let all: Set<String> = ["http", "https"]

    private var first = all
    private var redirected: Set<String>?

    /// The options of curl that were given, and allow less than both protocols.
    var optionNames: [String] {
        (self.first == Self.all ? [] : ["--proto"]) + (self.redirected == nil ? [] : ["--proto-redir"])
    }

    /// Reads an option.
    ///
    /// - Parameters:
    ///   - name: The option: `proto` or `proto-redir`.
    ///   - value: Its value: names with `=`, `+` or `-` before them, and commas between them.
    /// - Throws: `CommandFailure` if neither protocol is left.
    mutating func apply(_ name: String, _ value: String) throws(CommandFailure) {
        var allowed = Self.all
        for word in value.unicodeScalars.split(separator: ",") {
            var word = String(word).trimmingBlanks
            let mark = word.unicodeScalars.first
            if mark == "=" || mark == "+" || mark == "-" { word = word.droppingScalars(1) }
            let names = word == "all" ? Self.all : Self.all.intersection([String(word).asciiLowercased])
            switch mark {
            case "=": allowed = names
            case "-": allowed.subtract(names)
            default: allowed.formUnion(names)
            }
        }
        guard !allowed.isEmpty else { throw .usage("curl's --\(name) “\(value)” leaves neither http nor https") }
        if name == "proto" { self.first = allowed } else { self.redirected = allowed }
    }

    /// Restricts a plan.
    ///
    /// - Throws: `CommandFailure` if the URL is of a protocol that is not allowed.
    func apply(to plan: RequestPlan) throws(CommandFailure) {
        guard let scheme = plan.request.url.scheme?.asciiLowercased, !self.first.contains(scheme) else { return }
        let allowed = self.first.sorted().joined(separator: " and ")
        throw .usage("curl's --proto allows \(allowed), and the URL is of \(scheme): write \(allowed)://…")
    }

    /// Whether a redirect may be followed.
    func allows(_ redirect: Redirect) -> Bool {
        let allowed = self.first.intersection(self.redirected ?? self.first)
        return redirect.proposedRequest.url.scheme.map { allowed.contains($0.asciiLowercased) } ?? false
    }
}
