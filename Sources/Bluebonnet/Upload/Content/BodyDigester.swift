// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// Computes a digest with either algorithm.
struct BodyDigester: Sendable {
    private let algorithm: ContentDigest.Algorithm
    private var sha256 = SHA256()
    private var sha512 = SHA512()

    init(_ algorithm: ContentDigest.Algorithm) { self.algorithm = algorithm }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch self.algorithm {
        case .sha256: self.sha256.update(bufferPointer: bytes)
        case .sha512: self.sha512.update(bufferPointer: bytes)
        }
    }

    /// The value of the field.
    var field: String {
        let digest =
            switch self.algorithm {
            case .sha256: Data(self.sha256.finalize())
            case .sha512: Data(self.sha512.finalize())
            }
        return "\(self.algorithm.rawValue)=:\(digest.base64EncodedString()):"
    }
}
