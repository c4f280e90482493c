// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The rounds of key derivation that one PKCS #12 file may cost.
///
/// They are counted when the parameters of a derivation are parsed, so that a file beyond a limit is refused before the
/// derivations that it asks for.
struct PKCS12RoundBudget {
    /// The maximum iteration count of one derivation: some seconds on a slow processor.
    static let partLimit = 2_000_000

    /// The maximum of all derivations together: those of a MAC, of certificates and of a key with the maximum count each.
    static let fileLimit = 3 * Self.partLimit

    private var remaining = Self.fileLimit

    /// Counts one derivation.
    ///
    /// - Parameters:
    ///   - rounds: Its iteration count.
    ///   - blocks: How often the iterations are performed, because the key is longer than one digest or is derived in
    ///     several ways.
    /// - Throws: ``PKCS12Contents/Failure`` if a limit is exceeded, `ASN1Damage` if the count is not positive.
    mutating func spend(rounds: Int, blocks: Int = 1) throws {
        guard rounds >= 1 else { throw ASN1Damage() }
        guard rounds <= Self.partLimit else { throw PKCS12Contents.Failure.tooManyRounds }
        let cost = rounds * blocks
        guard cost <= self.remaining else { throw PKCS12Contents.Failure.tooManyRoundsInAll }
        self.remaining -= cost
    }
}
