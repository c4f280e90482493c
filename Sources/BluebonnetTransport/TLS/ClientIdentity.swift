// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A certificate and its private key, for servers that require client authentication (RFC 8446 section 4.4.2).
///
/// It is read when the first connection needs it. An error then fails the exchange with
/// ``TransportError/Code/tlsFailed`` and a reason: a file that cannot be read, a wrong or missing passphrase, a key
/// that does not match the certificate. Two identities are equal when they are read from the same sources; a transport
/// does not read a changed file again: for a renewed certificate make another engine, or give requests the bytes
/// (``TransportRequest/clientIdentity``). Each identity of a request takes about 1 MiB of memory for the roots that its
/// connections check, up to 64 of them at a time and as long as they have connections.
///
/// Its descriptions contain neither key nor passphrase.
public struct ClientIdentity: Sendable, Hashable {
    /// The source of a certificate or key.
    public enum Source: Sendable, Hashable {
        /// The path of a file, at most 1 MiB.
        case file(String)
        /// The bytes themselves.
        case bytes([UInt8])
    }

    enum Form: Sendable, Hashable {
        case pem(certificates: Source, key: Source)
        case pkcs12(Source)
    }

    let form: Form
    let passphrase: BytewiseString?

    /// Creates an identity from certificates and a key in PEM.
    ///
    /// - Parameters:
    ///   - certificates: The leaf certificate, followed by the intermediate certificates in order.
    ///   - key: The private key (PKCS #8, PKCS #1 or SEC 1), which may be encrypted; nil if it is in the same source as
    ///     the certificates. An encrypted PKCS #8 key must use a scheme of PKCS #12, or PBES2 with PBKDF2 (HMAC with
    ///     SHA-1 or SHA-256) and AES, Triple DES or RC2; one that takes more than 2,000,000 rounds of derivation is
    ///     refused.
    ///   - passphrase: The passphrase of an encrypted key: ASCII, at most 1,023 characters.
    /// - Returns: The identity.
    public static func pem(certificates: Source, key: Source? = nil, passphrase: String? = nil) -> ClientIdentity {
        ClientIdentity(
            form: .pem(certificates: certificates, key: key ?? certificates),
            passphrase: passphrase.map { BytewiseString($0) }
        )
    }

    /// Creates an identity from a PKCS #12 file (RFC 7292), usually `.p12` or `.pfx`.
    ///
    /// The certificates must be stored unencrypted or encrypted with AES (PBES2, RFC 8018), as OpenSSL 3 and current
    /// Java do. The RC2 and Triple DES of older files are refused with a reason that says how to convert them.
    ///
    /// The file may have 1 MiB. Deriving a key may take 2,000,000 rounds, and all keys of the file together 6,000,000:
    /// a file that asks for more is refused. A round counts as often as it is performed: twice in a key that is longer than
    /// the digest of its function, as with SHA-1 and AES-256, and twice in the MAC of an empty passphrase. Current programs
    /// write files with two to four derivations of 2,048 to 600,000 rounds.
    ///
    /// - Parameters:
    ///   - source: The file or its bytes.
    ///   - passphrase: The passphrase of the file; may be empty.
    /// - Returns: The identity.
    public static func pkcs12(_ source: Source, passphrase: String) -> ClientIdentity {
        ClientIdentity(form: .pkcs12(source), passphrase: BytewiseString(passphrase))
    }
}

extension ClientIdentity.Source {
    // Texts that are equal as characters may be the paths of different files.
    public static func == (left: ClientIdentity.Source, right: ClientIdentity.Source) -> Bool {
        switch (left, right) {
        case (.file(let left), .file(let right)): BytewiseString.areEqual(left, right)
        case (.bytes(let left), .bytes(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .file(let path): hasher.combine(BytewiseString(path))
        case .bytes(let bytes): hasher.combine(bytes)
        }
    }
}

extension ClientIdentity {
    /// The source of the certificates.
    package var certificates: Source {
        switch self.form {
        case .pem(let source, _): source
        case .pkcs12(let source): source
        }
    }
}

extension ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self.form {
        case .pem(let source, _): "client identity (PEM, \(source.name))"
        case .pkcs12(let source): "client identity (PKCS #12, \(source.name))"
        }
    }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClientIdentity.Source {
    /// The name of the source in error messages.
    var name: String {
        switch self {
        case .file(let path): "the file \(path)"
        case .bytes(let bytes): "the data of \(bytes.count) bytes"
        }
    }
}
