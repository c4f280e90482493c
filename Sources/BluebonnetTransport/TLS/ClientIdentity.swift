// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A certificate and its private key, for servers that want to know who asks (RFC 8446 section 4.4.2).
///
/// It is read when the first connection needs it; what is wrong then fails the exchange with ``TransportError/Code/tlsFailed`` and a reason:
/// a file that cannot be read, a wrong or missing passphrase, a key that does not belong to the certificate. Two identities are equal
/// when they are read from the same places; a file that changes is not read again by the same transport.
///
/// Its descriptions show neither key nor passphrase.
public struct ClientIdentity: Sendable, Hashable {
    /// Where something is read from.
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
    let passphrase: String?

    /// Certificates and a key in PEM.
    ///
    /// - Parameters:
    ///   - certificates: The certificate, then those between it and the root, in this order.
    ///   - key: The private key (PKCS #8, PKCS #1 or SEC 1), which may be encrypted; nil if it is in the same place as the certificates.
    ///   - passphrase: What an encrypted key is encrypted with: ASCII, at most 1,023 characters.
    /// - Returns: The identity.
    public static func pem(certificates: Source, key: Source? = nil, passphrase: String? = nil) -> ClientIdentity {
        ClientIdentity(form: .pem(certificates: certificates, key: key ?? certificates), passphrase: passphrase)
    }

    /// A PKCS #12 file (RFC 7292), usually `.p12` or `.pfx`.
    ///
    /// The certificates must be stored unencrypted or encrypted with AES (PBES2, RFC 8018), as OpenSSL 3 and current Java do. The RC2 and Triple DES of
    /// older files are refused with a reason that says how to convert them.
    ///
    /// - Parameters:
    ///   - source: The file or its bytes.
    ///   - passphrase: What it is protected with; may be empty.
    /// - Returns: The identity.
    public static func pkcs12(_ source: Source, passphrase: String) -> ClientIdentity {
        ClientIdentity(form: .pkcs12(source), passphrase: passphrase)
    }
}

extension ClientIdentity {
    /// Where the certificates are read from.
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
    /// What to call it in a sentence.
    var name: String {
        switch self {
        case .file(let path): "the file \(path)"
        case .bytes(let bytes): "\(bytes.count) bytes given"
        }
    }
}
