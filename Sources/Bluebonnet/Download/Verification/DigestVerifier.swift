// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// Computes the digests of bytes as they arrive, and compares them with the expected ones.
struct DigestVerifier: Sendable {
    private(set) var expected: [ContentDigest]
    private var sha256: SHA256?
    private var sha512: SHA512?

    /// - Parameters:
    ///   - expected: The digests that the bytes must have.
    ///   - others: The algorithms that are computed, besides those of the expected digests.
    init(_ expected: [ContentDigest] = [], computing others: [ContentDigest.Algorithm] = []) {
        self.expected = expected
        let algorithms = Set(expected.map(\.algorithm) + others)
        if algorithms.contains(.sha256) { self.sha256 = SHA256() }
        if algorithms.contains(.sha512) { self.sha512 = SHA512() }
    }

    /// Whether there is anything to compute.
    var isIdle: Bool { self.sha256 == nil && self.sha512 == nil }

    /// Adds expected digests whose algorithms are already computed.
    ///
    /// - Returns: The digests whose algorithms are not computed, for which the bytes have to be read again.
    mutating func expect(_ digests: [ContentDigest]) -> [ContentDigest] {
        var others: [ContentDigest] = []
        for digest in digests where !self.expected.contains(digest) {
            let isComputed =
                switch digest.algorithm {
                case .sha256: self.sha256 != nil
                case .sha512: self.sha512 != nil
                }
            if isComputed { self.expected.append(digest) } else { others.append(digest) }
        }
        return others
    }

    /// Adds the next bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        self.sha256?.update(bufferPointer: bytes)
        self.sha512?.update(bufferPointer: bytes)
    }

    /// Compares the digests.
    ///
    /// - Throws: `SessionError` with `digestMismatch`.
    func verify() throws(SessionError) {
        let sha256 = self.sha256.map { Data($0.finalize()) }
        let sha512 = self.sha512.map { Data($0.finalize()) }
        for digest in self.expected {
            let found =
                switch digest.algorithm {
                case .sha256: sha256
                case .sha512: sha512
                }
            guard found == digest.bytes else {
                throw SessionError(
                    .digestMismatch,
                    reason: "the \(digest.algorithm.rawValue) digest of the bytes is not the one expected",
                    isRequestSent: true
                )
            }
        }
    }
}
