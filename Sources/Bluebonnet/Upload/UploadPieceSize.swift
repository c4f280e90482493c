// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// The number of bytes of a file that one request of a ``ResumableUpload`` carries.
///
/// A piece is the most that can be lost: after a lost connection, servers keep the bytes they have of it, or none. The
/// limits of the server (`Upload-Limit`) take precedence.
public enum UploadPieceSize: Sendable, Hashable {
    /// This number of bytes; at least one.
    case fixed(Int64)
    /// From 256 KiB to 64 MiB, initially 1 MiB: doubled after a piece that took less than 2 seconds, halved after one
    /// that took more than 10, and after one that failed.
    case adaptive
    /// All remaining bytes.
    case whole
}

/// Computes the sizes of successive pieces.
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
    ///   - remaining: The number of remaining bytes.
    ///   - limits: The limits of the server.
    /// - Returns: The number of bytes, at most those that remain.
    func next(of remaining: Int64, _ limits: UploadLimits) -> Int64 {
        var size = max(self.current, limits.smallestPiece ?? 0)
        if let largest = limits.largestPiece { size = min(size, largest) }
        return min(size, remaining)
    }

    /// Adjusts the size after a piece that has arrived.
    mutating func succeeded(_ byteCount: Int64, within duration: Duration) {
        guard self.mode == .adaptive else { return }
        if duration < .seconds(2), byteCount >= self.current {
            self.current = min(self.current * 2, Self.largest)
        } else if duration > .seconds(10) {
            self.failed()
        }
    }

    /// Adjusts the size after a piece that has failed.
    mutating func failed() {
        guard self.mode == .adaptive else { return }
        self.current = max(self.current / 2, Self.smallest)
    }
}

/// The size limits of a server; nil for those it does not state.
struct UploadLimits: Sendable, Hashable, Codable {
    /// The largest file.
    var largestFile: Int64?
    /// The largest and the smallest content of one request; the last one of an upload may be smaller.
    var largestPiece: Int64?
    var smallestPiece: Int64?
}
