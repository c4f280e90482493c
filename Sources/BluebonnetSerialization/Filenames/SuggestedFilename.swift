// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
import HTTPTypes

extension Response {
    /// A file name for this body: the one in Content-Disposition (RFC 6266), otherwise the last component of the URL's
    /// path.
    ///
    /// Nil if neither is usable. A server can suggest a name but not a directory: only the last component is used,
    /// after slashes of both kinds. The name has no leading dot, no control or bidirectional formatting characters, and
    /// at most 200 bytes in UTF-8. The library never uses it by itself: a name that a server chooses may be that of an
    /// existing file.
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

/// Derives a file name from a response.
///
/// Only the last component is used, and the name cannot hide the file, leave the directory or control a terminal.
package enum SuggestedFilename {
    /// The longest name in bytes: common file systems allow 255, and a number or an extension may be appended.
    private static let longestByteCount = 200

    /// Returns the suggested name.
    ///
    /// - Parameters:
    ///   - disposition: The response's Content-Disposition, if it has one.
    ///   - urlPath: The path of the URL, percent-encoded.
    /// - Returns: A name without a directory; nil if there is no usable one.
    package static func name(disposition: String?, urlPath: String) -> String? {
        for proposed in disposition.map(Self.proposals) ?? [] {
            if let name = Self.sanitised(proposed) { return name }
        }
        let last = urlPath.unicodeScalars.split(separator: "/").last.map { String($0) } ?? ""
        return Self.sanitised((try? PercentDecoding.decode(last)) ?? last)
    }

    /// Returns the `filename*` and `filename` parameters (RFC 6266 section 4.3); the former is preferred because it names
    /// its charset.
    private static func proposals(in disposition: String) -> [String] {
        let parameters = HeaderParameters(disposition).parameters
        return [parameters["filename*"].flatMap(Self.decoded), parameters["filename"]].compactMap { $0 }
    }

    /// Decodes an extended value (RFC 8187 section 3.2): charset, language and percent-encoded bytes, separated by
    /// apostrophes.
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

    /// Returns the sanitised last component of a name; nil if nothing usable remains.
    private static func sanitised(_ proposed: String) -> String? {
        let last = proposed.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? Substring("").unicodeScalars
        var name = last.filter { !$0.changesDisplay }[...]
        // A combining mark or joiner without its base would combine with the text printed before the name.
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
