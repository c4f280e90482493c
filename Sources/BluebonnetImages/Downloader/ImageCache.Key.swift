// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import Bluebonnet
public import BluebonnetSerialization
internal import FoundationEssentials
internal import HTTPTypes

extension ImageCache {
    /// The key of a cached image.
    public struct Key: Sendable, Hashable {
        private let bytes: [UInt8]
        /// Decides about the fields that a session adds, and so about the image.
        private let home: HomeOrigin?

        /// The number of bytes of the key.
        var byteCount: Int { self.bytes.count }

        /// Creates a custom key.
        ///
        /// - Parameter name: The key, compared byte by byte.
        public init(_ name: String) {
            self.bytes = [0] + Array(name.utf8)
            self.home = nil
        }

        /// Creates the key of a request's image: its URL, its own header fields, and optionally how the image was
        /// processed.
        ///
        /// A request of an `HTTPSession` for another origin than that of its base URL has another key than a request
        /// that is not: it is sent without the session's secrets.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - identifier: Distinguishes variants of the image, for example the name of a filter.
        public init(_ request: Request, identifier: String? = nil) {
            var bytes: [UInt8] = [1]
            // Only the identifier, which is last, can contain a line break.
            bytes.append(contentsOf: request.url.absoluteString.utf8)
            for field in request.headers {
                bytes.append(UInt8(ascii: "\n"))
                bytes.append(contentsOf: field.name.canonicalName.utf8)
                bytes.append(UInt8(ascii: ":"))
                // The bytes, not the text: all bytes that are not UTF-8 would become the same character.
                field.withUnsafeBytesOfValue { bytes.append(contentsOf: $0) }
            }
            bytes.append(contentsOf: identifier.map { [10, 10] + Array($0.utf8) } ?? [])
            self.bytes = bytes
            self.home = request.context.isEmpty ? nil : request.context[HomeOrigin.self]
        }
    }
}
