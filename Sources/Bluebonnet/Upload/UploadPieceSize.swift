// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// How many bytes of a file one request of a ``ResumableUpload`` carries.
///
/// A piece is what is at stake: where a connection breaks, servers keep what they have of it, or nothing. The limits of the server
/// (`Upload-Limit`) come first.
public enum UploadPieceSize: Sendable, Hashable {
    /// So many bytes; at least one.
    case fixed(Int64)
    /// From 256 KiB to 64 MiB, 1 MiB first: doubled after a piece that took less than 2 seconds, halved after one that took more than 10, and
    /// after one that failed.
    case adaptive
    /// All that is left.
    case whole
}

/// Decides about the size of one piece after the other.
struct UploadPieceSizer: Sendable {
    private static var smallest: Int64 { 256 * 1024 }
    private static var first: Int64 { 1024 * 1024 }
    private static var largest: Int64 { 64 * 1024 * 1024 }

    private let mode: UploadPieceSize
    private var current: Int64

    init(_ mode: UploadPieceSize) {
        self.mode = mode
        self.current =
            switch mode {
            case .fixed(let count): max(count, 1)
            case .adaptive: Self.first
            case .whole: .max
            }
    }

    /// The size of the next piece.
    ///
    /// - Parameters:
    ///   - remaining: The bytes that are left.
    ///   - limits: What the server has said.
    /// - Returns: The number of bytes, up to those that are left.
    func next(of remaining: Int64, _ limits: UploadLimits) -> Int64 {
        var size = max(self.current, limits.smallestPiece ?? 0)
        if let largest = limits.largestPiece { size = min(size, max(largest, 1)) }
        return min(size, remaining)
    }

    /// A piece has arrived.
    mutating func succeeded(_ byteCount: Int64, within duration: Duration) {
        guard self.mode == .adaptive else { return }
        if duration < .seconds(2), byteCount >= self.current {
            self.current = min(self.current * 2, Self.largest)
        } else if duration > .seconds(10) {
            self.failed()
        }
    }

    /// A piece has not arrived.
    mutating func failed() {
        guard self.mode == .adaptive else { return }
        self.current = max(self.current / 2, Self.smallest)
    }
}

/// What a server says about sizes; nil where it says nothing.
struct UploadLimits: Sendable, Hashable, Codable {
    /// The largest file.
    var largestFile: Int64?
    /// The largest and the smallest content of one request; the last one of an upload may be smaller.
    var largestPiece: Int64?
    var smallestPiece: Int64?
}
