// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// The media type of a file, by its name extension.
enum MediaTypeGuess {
    /// Returns the media type for a path; `application/octet-stream` if it is unknown.
    static func mediaType(ofPath path: String) -> String {
        let name = path.unicodeScalars.split(separator: "/").last.map(Substring.init) ?? ""
        guard let dot = name.unicodeScalars.lastIndex(of: ".") else { return MediaType.octetStream }
        return MediaType.type(forPathExtension: String(name[dot...].droppingScalars(1)))
    }
}
