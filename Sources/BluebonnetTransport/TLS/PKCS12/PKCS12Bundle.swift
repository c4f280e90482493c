// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOSSL
import SwiftASN1

/// A parsed and decrypted PKCS #12 file (RFC 7292).
///
/// The TLS library's own parser stops the process if a file has no key, or no certificate that matches it.
struct PKCS12Bundle {
    /// The certificates in DER, the leaf first.
    let certificates: [[UInt8]]
    /// The private key: a PKCS #8 structure in DER.
    private let privateKey: [UInt8]
    private let name: String

    /// Parses a file.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - name: The name of the file in error messages.
    ///   - passphrase: The passphrase.
    /// - Throws: ``TransportError/Code/tlsFailed`` if it is not PKCS #12, the passphrase is wrong, it does not contain
    ///   a certificate and exactly one key, or its encryption is not supported.
    init(_ bytes: [UInt8], name: String, passphrase: String) throws(TransportError) {
        var contents = PKCS12Contents(passphrase: passphrase)
        do {
            try contents.read(bytes)
        } catch let error as PKCS12Contents.Failure {
            throw TransportError(
                setup: "\(name) cannot be read as PKCS #12: \(error.rawValue)",
                error == .wrongPassphrase ? .passphraseRefused : nil,
                underlying: error
            )
        } catch {
            throw TransportError(setup: "\(name) is not a PKCS #12 file, or is damaged", underlying: error)
        }
        guard let key = contents.keys.first else { throw TransportError(setup: "there is no private key in \(name)") }
        guard contents.keys.count == 1 else {
            throw TransportError(setup: "there is more than one private key in \(name)")
        }
        guard !contents.certificates.isEmpty else { throw TransportError(setup: "there is no certificate in \(name)") }
        let leaf = contents.certificates.firstIndex { key.identifier != nil && $0.identifier == key.identifier } ?? 0
        let first = contents.certificates.remove(at: leaf)
        self.certificates = [first.bytes] + contents.certificates.map(\.bytes)
        self.privateKey = key.bytes
        self.name = name
    }

    /// Returns the key for the TLS library.
    func key() throws(TransportError) -> NIOSSLPrivateKey {
        do {
            return try NIOSSLPrivateKey(bytes: self.privateKey, format: .der)
        } catch {
            throw TransportError(
                setup: "the private key in \(self.name) is of a kind that is not supported",
                underlying: error
            )
        }
    }
}
