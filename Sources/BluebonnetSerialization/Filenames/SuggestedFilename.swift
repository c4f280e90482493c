// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes

extension Response {
    /// A name for a file with this body: what Content-Disposition proposes (RFC 6266), else the last component of the URL's path.
    ///
    /// Nil where neither gives a usable name. A server may propose a name, never a place: only the last component counts, after slashes of both
    /// kinds; there is no dot at its beginning, no control character and no mark that turns text around in it, and it has at most 200 bytes in UTF-8.
    /// Nothing in the library uses it unasked: a name that a server chooses may be that of a file that is there.
    ///
    /// ```swift
    /// let destination = DownloadDestination.decided { temporary, response in
    ///     response.suggestedFilename.map { directory.appending(path: $0, directoryHint: .notDirectory) } ?? temporary
    /// }
    /// ```
    public var suggestedFilename: String? {
        let values = HTTPField.Name("Content-Disposition").map { self.headers[values: $0] } ?? []
        return SuggestedFilename.name(
            disposition: values.count == 1 ? values[0] : nil,
            urlPath: self.url?.path(percentEncoded: true) ?? ""
        )
    }
}

/// The name that a server proposes for a file.
///
/// Only the last component counts, and nothing in it hides the file, leaves the folder or reaches a terminal.
package enum SuggestedFilename {
    /// The longest name: common file systems take 255 bytes, and a number or an ending may be added.
    private static let longestByteCount = 200

    /// Finds a name.
    ///
    /// - Parameters:
    ///   - disposition: The response's Content-Disposition, if it has one.
    ///   - urlPath: The path of the URL, percent-encoded.
    /// - Returns: A name without a folder; nil where nothing usable is found.
    package static func name(disposition: String?, urlPath: String) -> String? {
        if let disposition, let proposed = Self.proposed(by: disposition), let name = Self.sanitised(proposed) {
            return name
        }
        let last = urlPath.unicodeScalars.split(separator: "/").last.map { String($0) } ?? ""
        return Self.sanitised((try? PercentDecoding.decode(last)) ?? last)
    }

    /// The `filename*` or `filename` parameter (RFC 6266 section 4.3); the first wins because it knows its charset.
    private static func proposed(by disposition: String) -> String? {
        let parameters = HeaderParameters(disposition).parameters
        if let extended = parameters["filename*"], let name = Self.decoded(extended) { return name }
        return parameters["filename"]
    }

    /// RFC 8187 section 3.2: charset, language and percent-encoded bytes, with apostrophes between them.
    private static func decoded(_ extended: String) -> String? {
        let bytes = extended.utf8
        guard let first = bytes.firstIndex(of: UInt8(ascii: "'")) else { return nil }
        let rest = bytes[bytes.index(after: first)...]
        guard let second = rest.firstIndex(of: UInt8(ascii: "'")),
            bytes[..<first].map({ $0 | 0x20 }).elementsEqual("utf-8".utf8),
            let encoded = String(rest[rest.index(after: second)...])
        else { return nil }
        return try? PercentDecoding.decode(encoded)
    }

    /// The last component of a name, or nil if nothing usable remains.
    private static func sanitised(_ proposed: String) -> String? {
        let last = proposed.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? Substring("").unicodeScalars
        var name = last.filter { !$0.changesDisplay }[...]
        // A mark or a joiner without its base would join what is printed before the name.
        name = name.drop {
            // Characters: these are scalars.
            $0 == "." || $0 == " " || $0 == "~" || $0.properties.isGraphemeExtend || $0.properties.isJoinControl
        }
        var byteCount = 0
        name = name.prefix { scalar in
            byteCount += UTF8.width(scalar)
            return byteCount <= Self.longestByteCount
        }
        while let end = name.last, end == " " || end == "." { name.removeLast() }
        return name.isEmpty ? nil : String(name)
    }
}
