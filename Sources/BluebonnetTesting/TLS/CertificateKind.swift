// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The properties and faults of a server certificate.
public enum CertificateKind: String, Sendable, Hashable, CaseIterable {
    /// Valid: for `localhost`, 127.0.0.1 and ::1, and signed by the server's authority.
    case valid
    /// Valid: signed by an intermediate authority, whose certificate is sent with it.
    case intermediate
    /// It expired yesterday.
    case expired
    /// It becomes valid tomorrow.
    case notYetValid
    /// It is for `other.test` only.
    case wrongHost
    /// Its common name is `localhost`, and it has no alternative names.
    case commonNameOnly
    /// It is self-signed.
    case selfSigned
    /// It is signed by an untrusted root.
    case unknownRoot
    /// It is signed by an intermediate authority, whose certificate is not sent.
    case missingIntermediate
    /// The intermediate authority may sign for `other.test` only (RFC 5280 section 4.2.1.10).
    case forbiddenName
    /// It is for clients only (RFC 5280 section 4.2.1.12).
    case wrongPurpose
    /// Valid: it requires certificate policies, and has one (RFC 5280 section 4.2.1.11).
    case metPolicy
    /// It requires certificate policies that it does not have (RFC 5280 section 4.2.1.11).
    case unmetPolicy
    /// Its key is RSA with 1024 bits.
    case weakKey
    /// It is signed with SHA-1 by an intermediate authority.
    case weakSignature
}
