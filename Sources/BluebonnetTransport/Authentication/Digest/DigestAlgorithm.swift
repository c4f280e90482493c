// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Crypto

/// A Digest algorithm (RFC 7616 section 3.3, registry in section 6.1).
package struct DigestAlgorithm: Hashable, Sendable {
    /// The hash functions, from the weakest to the strongest.
    package enum Hash: Int, Sendable {
        case md5, sha256, sha512t256
    }

    /// The registered name.
    package let name: String
    package let hash: Hash

    /// Whether the key is computed once per session (`-sess`).
    package let isSession: Bool

    package static let all: [DigestAlgorithm] = [
        .md5, DigestAlgorithm(name: "MD5-sess", hash: .md5, isSession: true),
        DigestAlgorithm(name: "SHA-256", hash: .sha256, isSession: false),
        DigestAlgorithm(name: "SHA-256-sess", hash: .sha256, isSession: true),
        DigestAlgorithm(name: "SHA-512-256", hash: .sha512t256, isSession: false),
        DigestAlgorithm(name: "SHA-512-256-sess", hash: .sha512t256, isSession: true),
    ]

    package static let md5 = DigestAlgorithm(name: "MD5", hash: .md5, isSession: false)

    /// Returns the algorithm with this name, which is case-insensitive; nil if it is unknown.
    package static func named(_ name: String) -> DigestAlgorithm? {
        let name = name.asciiLowercased
        return self.all.first { $0.name.asciiLowercased.utf8.elementsEqual(name.utf8) }
    }

    /// Returns H(text) of RFC 7616: the hash of a text in lower-case hexadecimal.
    package func digest(_ text: String) -> String {
        var hasher = DigestHasher(self.hash)
        var text = text
        text.withUTF8 { hasher.update(UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}

/// An incremental hash function.
package struct DigestHasher {
    private enum State {
        case md5(Insecure.MD5)
        case sha256(SHA256)
        case sha512t256(SHA512_256)
    }

    private var state: State

    package init(_ hash: DigestAlgorithm.Hash) {
        self.state =
            switch hash {
            case .md5: .md5(Insecure.MD5())
            case .sha256: .sha256(SHA256())
            case .sha512t256: .sha512t256(SHA512_256())
            }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch self.state {
        case .md5(var hash):
            hash.update(bufferPointer: bytes)
            self.state = .md5(hash)
        case .sha256(var hash):
            hash.update(bufferPointer: bytes)
            self.state = .sha256(hash)
        case .sha512t256(var hash):
            hash.update(bytes)
            self.state = .sha512t256(hash)
        }
    }

    /// Returns the digest in lower-case hexadecimal.
    package func finalize() -> String {
        switch self.state {
        case .md5(let hash): return Hexadecimal.text(hash.finalize())
        case .sha256(let hash): return Hexadecimal.text(hash.finalize())
        case .sha512t256(var hash): return Hexadecimal.text(hash.finalize())
        }
    }
}
