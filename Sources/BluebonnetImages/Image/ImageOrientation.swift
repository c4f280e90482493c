// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How the stored rows of an image must be transformed for display, with EXIF's numbers (CIPA DC-008 section 4.6.5).
public enum ImageOrientation: Int, Sendable, Hashable, Codable, CaseIterable {
    /// No transformation.
    case up = 1
    /// Mirrored from left to right.
    case upMirrored = 2
    /// Rotated by 180°.
    case down = 3
    /// Mirrored from top to bottom.
    case downMirrored = 4
    /// Mirrored along the diagonal from the top left.
    case leftMirrored = 5
    /// Rotated clockwise by 90°.
    case right = 6
    /// Mirrored along the diagonal from the top right.
    case rightMirrored = 7
    /// Rotated counterclockwise by 90°.
    case left = 8

    /// Whether width and height are swapped.
    public var swapsSides: Bool { self.rawValue >= 5 }

    /// Returns the position in the stored rows of a pixel of the upright image.
    ///
    /// - Parameters:
    ///   - x: The column in the upright image.
    ///   - y: The row in the upright image.
    ///   - width: The number of stored columns.
    ///   - height: The number of stored rows.
    /// - Returns: The stored column and row.
    func source(x: Int, y: Int, width: Int, height: Int) -> (x: Int, y: Int) {
        switch self {
        case .up: (x, y)
        case .upMirrored: (width - 1 - x, y)
        case .down: (width - 1 - x, height - 1 - y)
        case .downMirrored: (x, height - 1 - y)
        case .leftMirrored: (y, x)
        case .right: (y, height - 1 - x)
        case .rightMirrored: (width - 1 - y, height - 1 - x)
        case .left: (width - 1 - y, x)
        }
    }
}
