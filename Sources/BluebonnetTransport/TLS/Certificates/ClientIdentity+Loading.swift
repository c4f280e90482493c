// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOSSL

extension ClientIdentity {
    /// Reads the identity; blocks if it is in files.
    ///
    /// - Returns: The certificates, the leaf first, and the key. Whether they match is checked when they are used.
    func load() throws(TransportError) -> (chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) {
        switch self.form {
        case .pem(let certificates, let key):
            return (try Self.chain(certificates), try self.key(key))
        case .pkcs12(let source):
            return try self.bundle(source)
        }
    }

    /// Reads the identity, to find out whether it can be used; blocks where it is in files.
    ///
    /// - Throws: ``TransportError/Code/tlsFailed`` if it cannot.
    package func check() throws(TransportError) {
        let (chain, key) = try self.load()
        try Self.check(chain, key)
    }

    /// Checks that the TLS library accepts an identity, in a context of its own without roots, which is quick to make.
    ///
    /// The error of a complete context does not tell whether the identity or a root is at fault.
    ///
    /// - Throws: ``TransportError/Code/tlsFailed`` if the certificate and the key do not match, or if their kind is not
    ///   supported, for example DSA or a curve such as P-224.
    static func check(_ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) throws(TransportError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        configuration.certificateChain = chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch NIOSSLError.failedToLoadPrivateKey {
            throw TransportError(setup: "the client certificate and the private key do not belong together")
        } catch {
            throw TransportError(
                setup: "the client certificate is of a kind that is not supported",
                underlying: error
            )
        }
    }

    private static func chain(_ source: Source) throws(TransportError) -> [NIOSSLCertificate] {
        let bytes = try source.read()
        let failure: (any Error)?
        do {
            let chain = bytes.isEmpty ? [] : try NIOSSLCertificate.fromPEMBytes(bytes)
            if !chain.isEmpty { return chain }
            failure = nil
        } catch {
            failure = error
        }
        throw TransportError(setup: "no PEM client certificate could be read from \(source.name)", underlying: failure)
    }

    private func key(_ source: Source) throws(TransportError) -> NIOSSLPrivateKey {
        let bytes = try source.read()
        let passphrase = Array((self.passphrase?.text ?? "").utf8)
        // The library's C interface accepts no others.
        guard passphrase.allSatisfy({ $0 < 0x80 }) else {
            throw TransportError(setup: "the passphrase of the private key is not ASCII")
        }
        guard !bytes.isEmpty else { throw TransportError(setup: "no private key could be read from \(source.name)") }
        do throws(PKCS12Contents.Failure) {
            try EncryptedPEMKey.check(bytes)
        } catch {
            throw TransportError(
                setup: "the private key from \(source.name) cannot be read: \(error.rawValue)",
                underlying: error
            )
        }
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem) { $0(passphrase) }
        } catch {
            // PKCS #8 says so in the label, older formats in a header.
            let isEncrypted = bytes.contains("ENCRYPTED".utf8)
            throw TransportError(
                setup: isEncrypted
                    ? "the private key from \(source.name) is encrypted, and the passphrase is "
                        + (self.passphrase == nil ? "missing" : "wrong")
                    : "no private key could be read from \(source.name)",
                isEncrypted ? .passphraseRefused : nil,
                underlying: error
            )
        }
    }

    private func bundle(_ source: Source) throws(TransportError) -> (chain: [NIOSSLCertificate], key: NIOSSLPrivateKey)
    {
        let bundle = try PKCS12Bundle(try source.read(), name: source.name, passphrase: self.passphrase?.text ?? "")
        do {
            let key = try bundle.key()
            return (try bundle.certificates.map { try NIOSSLCertificate(bytes: $0, format: .der) }, key)
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError(setup: "a certificate in \(source.name) cannot be read", underlying: error)
        }
    }
}
