// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Whom the engine trusts on https, and what it speaks there.
///
/// The certificate chain and the host name are always verified in full; there is no switch that turns this off.
public struct TLSOptions: Sendable, Hashable {
    /// A certificate, or several, in PEM.
    public enum Certificate: Sendable, Hashable {
        /// The path of a PEM file, read when the first https connection is made.
        case pemFile(String)
        /// The bytes of a PEM file.
        case pem([UInt8])
    }

    /// The versions of TLS that can be asked for.
    public enum Version: Sendable, Hashable {
        case tls12, tls13
    }

    /// Roots trusted in addition to the system's.
    public var additionalRoots: [Certificate] = []

    /// Whether the system's roots are trusted; true unless changed.
    public var trustsSystemRoots = true

    /// The lowest version to agree to: TLS 1.2 unless changed.
    public var minimumVersion: Version = .tls12

    /// Creates options that trust the system's roots.
    public init() {}
}
