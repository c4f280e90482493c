// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// The media type of a file by the end of its name.
enum MediaTypeGuess {
    /// The type that goes with a path; bytes of no particular kind where nothing is known.
    static func mediaType(ofPath path: String) -> String {
        let name = path.unicodeScalars.split(separator: "/").last.map(Substring.init) ?? ""
        guard let dot = name.unicodeScalars.lastIndex(of: ".") else { return MediaType.octetStream }
        return MediaType.type(forPathExtension: String(name[dot...].droppingScalars(1)))
    }
}
