// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Crypto
import NIOCore

/// Counts and digests a body as it passes, without storing it.
struct BodyDigest: Sendable {
    private(set) var byteCount: Int64 = 0
    private var hash: SHA256?

    /// Adds the next bytes.
    mutating func update(_ bytes: ByteBuffer) {
        bytes.withUnsafeReadableBytes { self.update($0) }
    }

    /// Adds the next bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        self.byteCount &+= Int64(bytes.count)
        if self.hash == nil { self.hash = SHA256() }
        self.hash?.update(bufferPointer: bytes)
    }

    /// The SHA-256 digest of the bytes so far, in lower-case hexadecimal.
    var sha256: String {
        Hexadecimal.text((self.hash ?? SHA256()).finalize())
    }
}
