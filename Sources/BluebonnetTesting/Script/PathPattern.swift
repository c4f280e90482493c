// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A path in which a segment `*` stands for any one segment.
struct PathPattern: Sendable, Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Whether a segment is `*`; otherwise only the path itself matches.
    var hasWildcard: Bool { Self.segments(of: self.text).contains(where: Self.isWildcard) }

    /// Whether a path without its query matches.
    func matches(_ path: some StringProtocol) -> Bool {
        let (expected, segments) = (Self.segments(of: self.text), Self.segments(of: path))
        return expected.count == segments.count
            && zip(expected, segments).allSatisfy { Self.isWildcard($0) || $0.elementsEqual($1) }
    }

    private static func isWildcard(_ segment: some Sequence<UInt8>) -> Bool { segment.elementsEqual("*".utf8) }

    private static func segments<Path: StringProtocol>(of path: Path) -> [Path.UTF8View.SubSequence] {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }
}
