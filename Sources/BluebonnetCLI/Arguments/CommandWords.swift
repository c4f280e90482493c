// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The positional arguments of a request: `[METHOD] URL [ITEM …]`.
struct CommandWords: Equatable, Sendable {
    /// The method, if it was given; nil to infer it.
    var method: String?

    /// The URL, as it was typed.
    var url: String

    /// The items, as they were typed.
    var items: [String]

    /// Splits positional arguments into method, URL and items.
    ///
    /// The first argument is a method if it is a well-known one, if it is all capitals, or if it is a plain word and
    /// the next argument cannot be an item. Otherwise it is the URL. (`localhost name=value` is a URL and an item.)
    ///
    /// - Parameter words: The positional arguments, in their order.
    /// - Throws: `CommandFailure` if there is no URL.
    init(_ words: [String]) throws(CommandFailure) {
        guard let first = words.first else {
            throw .usage("there is no URL: write “bluebonnet [METHOD] URL [ITEM …]”, see “bluebonnet --help”")
        }
        guard !first.isEmpty || words.count == 1 else {
            throw .usage("the first word is empty: write the method or the URL, “bluebonnet [METHOD] URL [ITEM …]”")
        }
        let beforeBlank = first.trimmingBlanks.unicodeScalars.prefix { $0 != " " && $0 != "\t" }
        // A space in a path or a query is encoded; “GET localhost” as one argument is a mistake.
        if beforeBlank.count < first.trimmingBlanks.unicodeScalars.count, !beforeBlank.contains("/") {
            throw .usage(
                "“\(TargetURL.redacted(first))” is neither a method nor a URL: it holds a space; write them as two words"
            )
        }
        if let item = Self.itemBeforeURL(words) {
            throw .usage(
                "the item “\(item)” stands before the URL: write the URL first, “bluebonnet [METHOD] URL [ITEM …]”"
            )
        }
        guard words.count > 1, Self.isMethod(first, before: words[1]) else {
            guard words.count > 1 || !Self.wellKnown.contains(first.asciiUppercased) else {
                throw .usage("there is no URL after the method \(first): write “bluebonnet \(first) URL”")
            }
            self.method = nil
            self.url = first
            self.items = Array(words.dropFirst())
            try self.checkItems()
            return
        }
        if let explained = MistakenWords.explanation(ofMethod: first) { throw .usage(explained) }
        self.method = first.asciiUppercased
        self.url = words[1]
        self.items = Array(words.dropFirst(2))
        try self.checkItems()
    }

    private func checkItems() throws(CommandFailure) {
        for item in self.items {
            if let explained = MistakenWords.explanation(ofItem: item) { throw .usage(explained) }
            guard self.method == nil, Self.wellKnown.contains(item) else { continue }
            let url = TargetURL.redacted(self.url)
            throw .usage("the method \(item) stands behind the URL: write “bluebonnet \(item) \(url)”")
        }
    }

    /// Returns the first argument, if it has an “=” where a host cannot and a later argument begins like a URL.
    private static func itemBeforeURL(_ words: [String]) -> String? {
        guard let first = words.first, words.count > 1 else { return nil }
        let end = first.unicodeScalars.firstIndex { $0 == "/" || $0 == "?" } ?? first.endIndex
        let hasURL = words.dropFirst().contains { word in
            ["http://", "https://", "localhost"].contains { word.starts(withScalars: $0) }
        }
        return hasURL && first[..<end].contains(scalar: "=") ? TargetURL.redacted(first) : nil
    }

    /// The methods that may be written in any letters.
    static let wellKnown: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY", "PROPFIND",
        "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH", "PURGE", "LINK", "UNLINK",
    ]

    private static func isMethod(_ word: String, before next: String) -> Bool {
        if Self.wellKnown.contains(word.asciiUppercased) { return true }
        guard word.utf8.allSatisfy({ $0.isASCIILetter || "-_".utf8.contains($0) }),
            word.utf8.first?.isASCIILetter == true
        else { return false }
        if !word.utf8.contains(where: { (0x61...0x7A).contains($0) }) { return true }
        if word.isASCIIWord("localhost") { return false }
        // “https://…”, “:8080” and “example.org/path” read as URLs; “name=value” and “Header:value” as items.
        return next.starts(withScalars: ":") || next.unicodeScalars.contains("://".unicodeScalars)
            || !ItemParser.looksLikeItem(next)
    }
}
