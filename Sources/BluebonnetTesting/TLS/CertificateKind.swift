// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What is right or wrong with a server's certificate.
public enum CertificateKind: String, Sendable, Hashable, CaseIterable {
    /// Nothing is wrong: it is for `localhost`, 127.0.0.1 and ::1, and signed by the server's authority.
    case valid
    /// Nothing is wrong: it is signed by an authority in the middle, whose certificate is sent with it.
    case intermediate
    /// Its time ended yesterday.
    case expired
    /// Its time begins tomorrow.
    case notYetValid
    /// It is for `other.test` only.
    case wrongHost
    /// `localhost` is its common name, and it has no alternative names.
    case commonNameOnly
    /// It is signed with its own key.
    case selfSigned
    /// It is signed by a root that nobody trusts.
    case unknownRoot
    /// It is signed by an authority in the middle, whose certificate is not sent.
    case missingIntermediate
    /// The authority in the middle may sign for `other.test` only (RFC 5280 section 4.2.1.10).
    case forbiddenName
    /// It is for clients only (RFC 5280 section 4.2.1.12).
    case wrongPurpose
    /// Nothing is wrong: it asks for certificate policies, and has one (RFC 5280 section 4.2.1.11).
    case metPolicy
    /// It asks for certificate policies that it does not have (RFC 5280 section 4.2.1.11).
    case unmetPolicy
    /// Its key is RSA of 1024 bits.
    case weakKey
    /// It is signed with SHA-1 by an authority in the middle.
    case weakSignature
}
