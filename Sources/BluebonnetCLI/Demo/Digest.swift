// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Crypto

/// An incremental SHA-256 digest.
struct Digest {
    private var hash = SHA256()

    /// Updates the digest with the next bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        self.hash.update(bufferPointer: bytes)
    }

    /// The digest of the bytes so far, in lower-case hexadecimal.
    var text: String { Hexadecimal.text(self.hash.finalize()) }

    /// Returns the digest of bytes in memory.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        var digest = Digest()
        Array(bytes).withUnsafeBytes { digest.update($0) }
        return digest.text
    }
}
