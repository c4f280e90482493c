// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

/// A digest of a file's bytes, used to verify a download (RFC 9530).
public struct ContentDigest: Sendable, Hashable, Codable {
    /// The algorithms that can be verified, by their names in RFC 9530.
    public enum Algorithm: String, Sendable, Hashable, Codable, CaseIterable {
        /// SHA-256: 32 bytes.
        case sha256 = "sha-256"
        /// SHA-512: 64 bytes.
        case sha512 = "sha-512"

        /// The number of bytes of a digest.
        public var byteCount: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    /// The algorithm.
    public let algorithm: Algorithm

    /// The bytes of the digest.
    public let bytes: Data

    /// Creates a digest from its bytes.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm.
    ///   - bytes: The bytes of the digest.
    /// - Throws: ``SessionError/Code/invalidRequest`` if the number of bytes is not that of the algorithm.
    public init(_ algorithm: Algorithm, bytes: some Sequence<UInt8>) throws(SessionError) {
        let bytes = Data(bytes)
        guard bytes.count == algorithm.byteCount else {
            throw SessionError(
                .invalidRequest,
                reason: "a \(algorithm.rawValue) digest has \(algorithm.byteCount) bytes, not \(bytes.count)"
            )
        }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Parses a digest in the form that programs such as `sha256sum` write.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm.
    ///   - hexadecimal: The digest in hexadecimal digits of either case, without anything around them.
    /// - Throws: ``SessionError/Code/invalidRequest`` if it is not a digest of this algorithm.
    public init(_ algorithm: Algorithm, hexadecimal: String) throws(SessionError) {
        guard let bytes = Hexadecimal.bytes(hexadecimal.utf8), bytes.count == algorithm.byteCount else {
            throw SessionError(
                .invalidRequest,
                reason: "a \(algorithm.rawValue) digest is written in \(2 * algorithm.byteCount) hexadecimal digits"
            )
        }
        try self.init(algorithm, bytes: bytes)
    }

    /// Decodes a digest.
    ///
    /// - Throws: `DecodingError` if it is not one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let algorithm = try container.decode(Algorithm.self, forKey: .algorithm)
        let bytes = try container.decode(Data.self, forKey: .bytes)
        do {
            try self.init(algorithm, bytes: bytes)
        } catch {
            throw DecodingError.dataCorruptedError(
                forKey: .bytes,
                in: container,
                debugDescription: "the digest has \(bytes.count) bytes, and not as many as its algorithm gives"
            )
        }
    }

    /// The digest in lower-case hexadecimal digits.
    public var hexadecimal: String { Hexadecimal.text(self.bytes) }
}

extension ContentDigest: CustomStringConvertible {
    /// The algorithm and the hexadecimal digits, for example `sha-256:9f86d0…`.
    public var description: String { "\(self.algorithm.rawValue):\(self.hexadecimal)" }
}
