// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials

/// The changes that `--compress` and `--chunked` make to a complete body.
struct BodyTransformation {
    /// The number of times that `--compress` is given; with 1, a body that would not shrink is not compressed.
    var compression: Int

    /// Whether the body is sent without its length.
    var isChunked: Bool

    /// The largest body that is compressed: 256 MiB, because it is read into memory.
    private static let largestByteCount = 256 * 1024 * 1024

    /// Applies the changes to a body.
    ///
    /// - Parameters:
    ///   - body: The body, already serialized.
    ///   - contentCoding: The Content-Encoding; set if the body is compressed.
    /// - Throws: `CommandFailure` if the body cannot be read or is too large.
    func apply(to body: inout RequestBody, _ contentCoding: inout String?) throws(CommandFailure) {
        if case .none = body { return }
        if self.compression > 0 {
            let bytes = try Self.bytes(of: body)
            guard let compressed = ZlibEncoder.deflate(bytes) else { throw Self.tooLarge }
            if self.compression > 1 || compressed.count < bytes.count {
                body = .data(compressed.data)
                contentCoding = "deflate"
            } else {
                body = .data(bytes.data)
            }
        }
        if self.isChunked, body.contentLength != nil {
            body = .stream(length: nil, isReplayable: body.isReplayable) { [body] in try body.makeReader() }
        }
    }

    private static let tooLarge = CommandFailure.usage("--compress takes a body of up to 256 MiB: compress it yourself")

    private static func bytes(of body: RequestBody) throws(CommandFailure) -> [UInt8] {
        if let data = body.data { return Array(data) }
        if let length = body.contentLength, length > Int64(Self.largestByteCount) { throw Self.tooLarge }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        do {
            var reader = try body.makeReader()
            while true {
                let count = try piece.withUnsafeMutableBytes { try reader.read(into: $0) }
                if count == 0 { return bytes }
                guard bytes.count + count <= Self.largestByteCount else { throw Self.tooLarge }
                bytes += piece[..<count]
            }
        } catch {
            throw CommandFailure(describing: error)
        }
    }
}
