// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension TargetURL {
    /// Appends query parameters to those of the URL.
    ///
    /// - Parameter pairs: Names and values, not encoded.
    /// - Throws: `CommandFailure` if the URL cannot take them.
    mutating func append(query pairs: [(name: String, value: String)]) throws(CommandFailure) {
        guard !pairs.isEmpty else { return }
        let text = self.url.absoluteString
        let addition = pairs.map { FormPair.encode($0.name, $0.value) }.joined(separator: "&")
        let separator =
            !text.contains(scalar: "?")
            ? "?" : text.ends(withScalars: "?") || text.ends(withScalars: "&") ? "" : "&"
        guard let url = URL(string: text + separator + addition, encodingInvalidCharacters: false) else {
            throw .usage("the query cannot be part of a URL")
        }
        self.url = url
    }
}
