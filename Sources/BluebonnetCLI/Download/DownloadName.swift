// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// The name of the file that `--download` creates.
///
/// A server may suggest a name, but never a folder: see ``SuggestedFilename``.
enum DownloadName {
    /// Determines the name of the file.
    ///
    /// - Parameters:
    ///   - disposition: The response's Content-Disposition, if any.
    ///   - urlPath: The path of the URL, percent-encoded.
    /// - Returns: A name without a folder; `download` by default.
    static func name(disposition: String?, urlPath: String) -> String {
        SuggestedFilename.name(disposition: disposition, urlPath: urlPath) ?? "download"
    }

    /// Returns the name with a number before its extension: `data.json`, `data-1.json`, `data-2.json`.
    static func numbered(_ name: String, _ number: Int) -> String {
        guard number > 0 else { return name }
        guard let dot = name.unicodeScalars.lastIndex(of: "."), dot != name.startIndex else {
            return "\(name)-\(number)"
        }
        return "\(name[..<dot])-\(number)\(name[dot...])"
    }
}
