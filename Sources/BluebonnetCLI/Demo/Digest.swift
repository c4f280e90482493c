// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The SHA-256 digest of bytes that pass by.
struct Digest {
    private var hash = SHA256()

    /// Takes the next bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        self.hash.update(bufferPointer: bytes)
    }

    /// The digest of what has passed so far, in lower-case hexadecimal.
    var text: String {
        self.hash.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The digest of bytes in memory.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        var digest = Digest()
        Array(bytes).withUnsafeBytes { digest.update($0) }
        return digest.text
    }
}
