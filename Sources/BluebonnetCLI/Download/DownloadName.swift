// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The name of the file that `--download` makes.
///
/// A server may propose a name, never a place: only the last component counts, and nothing in it hides the file, leaves the folder or
/// reaches the terminal.
enum DownloadName {
    /// The longest name: common file systems take 255 bytes, and a number may be added.
    private static let longestByteCount = 200

    /// Finds a name.
    ///
    /// - Parameters:
    ///   - disposition: The response's Content-Disposition, if it has one.
    ///   - urlPath: The path of the URL, percent-encoded.
    /// - Returns: A name without a folder; `download` where nothing better is found.
    static func name(disposition: String?, urlPath: String) -> String {
        if let disposition, let proposed = Self.proposed(by: disposition), let name = Self.sanitised(proposed) {
            return name
        }
        let last = urlPath.unicodeScalars.split(separator: "/").last.map { String($0) } ?? ""
        return Self.sanitised((try? PercentDecoding.decode(last)) ?? last) ?? "download"
    }

    /// The same name with a number before its extension: `data.json`, `data-1.json`, `data-2.json`.
    static func numbered(_ name: String, _ number: Int) -> String {
        guard number > 0 else { return name }
        guard let dot = name.unicodeScalars.lastIndex(of: "."), dot != name.startIndex else {
            return "\(name)-\(number)"
        }
        return "\(name[..<dot])-\(number)\(name[dot...])"
    }

    /// The `filename*` or `filename` parameter (RFC 6266 section 4.3); the first wins because it knows its charset.
    private static func proposed(by disposition: String) -> String? {
        let parameters = HeaderParameters(disposition).parameters
        if let extended = parameters["filename*"] {
            // RFC 8187: charset'language'percent-encoded.
            if let (charset, rest) = extended.split(atScalar: "'"), let (_, encoded) = rest.split(atScalar: "'"),
                charset.lowercased() == "utf-8", let name = try? PercentDecoding.decode(encoded)
            {
                return name
            }
        }
        return parameters["filename"]
    }

    /// The last component of a name, or nil if nothing usable remains.
    static func sanitised(_ proposed: String) -> String? {
        let last = proposed.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? Substring("").unicodeScalars
        var name = last.filter { !TerminalText.isUnsafe($0) }[...]
        // A mark or a joiner without its base would join what is printed before the name.
        name = name.drop {
            $0 == "." || $0 == " " || $0 == "~" || $0.properties.isGraphemeExtend || $0.properties.isJoinControl
        }
        while let end = name.last, end == " " || end == "." { name.removeLast() }
        while String(name).utf8.count > Self.longestByteCount { name.removeLast() }
        return name.isEmpty ? nil : String(name)
    }
}
