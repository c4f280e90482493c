// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials

/// What happens to a body that is complete: `--compress` and `--chunked`.
struct BodyTransformation {
    /// How often `--compress` is given: with 1, a body that does not get smaller stays as it is.
    var compression: Int

    /// Whether the length is kept from the server.
    var isChunked: Bool

    /// The most that is compressed: 256 MiB, because it is read into memory.
    private static let largestByteCount = 256 * 1024 * 1024

    /// Changes a body.
    ///
    /// - Parameters:
    ///   - body: The body, which its parameters have been written into.
    ///   - contentCoding: The Content-Encoding; set where the body is compressed.
    /// - Throws: `CommandFailure` if it cannot be read or is too large.
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
