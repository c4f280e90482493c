// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The segments `.` and `..` of a path.
enum DotSegments {
    /// Removes them from a reference with an authority (RFC 3986 sections 5.2.2 and 5.2.4).
    ///
    /// Foundation removes them from the other references, whose paths it merges with that of the base.
    static func removed(from reference: [UInt8]) -> [UInt8] {
        guard let start = URLText.hostAndPort(in: reference)?.upperBound else { return reference }
        let end = reference[start...].firstIndex { "?#".utf8.contains($0) } ?? reference.endIndex
        return reference[..<start] + self.removed(fromPath: reference[start..<end]) + reference[end...]
    }

    /// Removes them from a path that is empty or begins with a slash.
    private static func removed(fromPath path: ArraySlice<UInt8>) -> [UInt8] {
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        var kept: [ArraySlice<UInt8>] = []
        for segment in segments {
            if segment.elementsEqual("..".utf8) {
                _ = kept.popLast()
            } else if !segment.elementsEqual(".".utf8) {
                kept.append(segment)
            }
        }
        // A path that ends in a dot segment names a folder.
        if let last = segments.last, last.elementsEqual(".".utf8) || last.elementsEqual("..".utf8) { kept.append([]) }
        return kept.flatMap { [UInt8(ascii: "/")] + $0 }
    }
}
