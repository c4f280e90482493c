// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension URL {
    /// The URL for printing: scheme, authority and path, without user information, query and fragment.
    ///
    /// A session prints the target of its request instead; this module sends no requests.
    package var redactedText: String {
        let text = self.absoluteString.utf8
        let end = text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        let kept = text[..<end]
        // Without an authority it is no URL of a request, and nothing is known about what it holds.
        guard let colon = kept.firstIndex(of: UInt8(ascii: ":")), kept[colon...].starts(with: "://".utf8) else {
            return "(unusable URL)"
        }
        let start = kept.index(colon, offsetBy: 3)
        let authority = kept[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return String(Substring(kept)) }
        return String(Substring(kept[..<start])) + String(Substring(kept[kept.index(after: at)...]))
    }
}
