// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport

extension TLSCommandOptions {
    /// Writes into the options of an engine what the command line and the environment say, except for the client
    /// certificate.
    ///
    /// - Parameters:
    ///   - configuration: What is changed.
    ///   - environment: `HOME`, for a path that begins with `~/`, `SSL_CERT_FILE` and `SSLKEYLOGFILE`.
    /// - Throws: `CommandFailure` if options contradict each other or a file is not there.
    func apply(
        to configuration: inout NIOTransport.Configuration,
        environment: [String: String]
    ) throws(CommandFailure) {
        guard self.tlsMin != .tls13 || self.tlsOnly != .tls12 else {
            throw .usage("--ssl tls1.2 leaves no version for --tls-min 1.3: leave one of them out")
        }
        try self.applyRoots(to: &configuration, environment)
        if let trust { configuration.tls.trust = try TrustedFingerprints(trust) }
        for options in [\NIOTransport.Configuration.tls, \.proxyTLS] {
            try self.applyHandshake(to: &configuration[keyPath: options], environment)
        }
    }

    /// Writes what is agreed on with any server, also with an https proxy, and where its secrets go.
    private func applyHandshake(
        to options: inout TLSOptions,
        _ environment: [String: String]
    ) throws(CommandFailure) {
        if let ciphers { options.cipherSuites = try Self.suites(ciphers) }
        if let tlsMin { options.minimumVersion = tlsMin == .tls13 ? .tls13 : .tls12 }
        if let tlsOnly {
            let version: TLSOptions.Version = tlsOnly == .tls13 ? .tls13 : .tls12
            (options.minimumVersion, options.maximumVersion) = (version, version)
        }
        if let path = environment["SSLKEYLOGFILE"], !path.isEmpty { options.keyLog = .file(path) }
    }

    private func applyRoots(
        to configuration: inout NIOTransport.Configuration,
        _ environment: [String: String]
    ) throws(CommandFailure) {
        var only: TLSOptions.Certificate?
        // As with OpenSSL and curl: in place of the system's roots.
        if let path = environment["SSL_CERT_FILE"], !path.isEmpty { only = .pemFile(path) }
        switch self.verify?.asciiLowercased {
        case nil, "yes", "true", "1": break
        case "no", "false", "0": throw .usage(Self.neverUnverified)
        default: only = try self.verify.map { (path) throws(CommandFailure) in try Self.roots(path, environment) }
        }
        var more: [TLSOptions.Certificate] = []
        if let cacert { more.append(try Self.roots(cacert, environment)) }
        for options in [\NIOTransport.Configuration.tls, \.proxyTLS] {
            if only != nil { configuration[keyPath: options].trustsSystemRoots = false }
            configuration[keyPath: options].additionalRoots = (only.map { [$0] } ?? []) + more
        }
    }

    /// What is said to those who want no verification.
    static let neverUnverified =
        "certificates are always verified: trust another root with --cacert FILE, or this one server by the fingerprint of its certificate with --trust sha256:…, which is shown when it is refused"

    private static func roots(
        _ path: String,
        _ environment: [String: String]
    ) throws(CommandFailure) -> TLSOptions.Certificate {
        let pem = try LocalFile.bytes(LocalFile.expanded(path, home: environment["HOME"]))
        guard String(decoding: pem, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
            throw .usage(
                "“\(path)” holds no certificate in PEM: give the file that begins with “-----BEGIN CERTIFICATE-----”"
            )
        }
        return .pem(pem)
    }

    private static func suites(_ text: String) throws(CommandFailure) -> [CipherSuite] {
        var suites: [CipherSuite] = []
        for name in text.unicodeScalars.split(whereSeparator: { ":, ".unicodeScalars.contains($0) }) {
            guard let suite = CipherSuite(name: String(name)) else {
                throw .usage(
                    "“\(String(name))” is not a cipher suite that is known: write for example ECDHE-RSA-AES128-GCM-SHA256"
                )
            }
            suites.append(suite)
        }
        guard suites.contains(where: { !$0.isOfTLS13 }) else {
            throw .usage("--ciphers names no suite of TLS 1.2: those of TLS 1.3 are offered always; see also --tls-min")
        }
        return suites.filter { !$0.isOfTLS13 }
    }

    /// Reads the client certificate of `--cert`.
    ///
    /// - Parameter home: The directory for a path that begins with `~/`.
    /// - Returns: The certificate and its key; nil without the option.
    /// - Throws: `CommandFailure` for a file that cannot be used.
    func identity(home: String?) throws(CommandFailure) -> ClientIdentity? {
        guard let cert else {
            if self.key != nil { throw .usage("--cert-key belongs to --cert: add --cert FILE") }
            if self.keyPassword != nil { throw .usage("--cert-key-pass belongs to --cert: add --cert FILE") }
            return nil
        }
        let (path, written) = Self.split(cert)
        let password = self.keyPassword ?? written
        let certificate = try LocalFile.bytes(LocalFile.expanded(path, home: home))
        if Self.isBundle(path) {
            guard self.key == nil else { throw .usage("a PKCS #12 file has its key inside: leave out --cert-key") }
            return try Self.checked(.pkcs12(.bytes(certificate), passphrase: password ?? ""), path)
        }
        var key: [UInt8]?
        if let path = self.key { key = try LocalFile.bytes(LocalFile.expanded(path, home: home)) }
        guard Self.isPEM(certificate, "CERTIFICATE-----") else {
            throw .usage("“\(path)” of --cert holds no certificate in PEM")
        }
        guard Self.isPEM(key ?? certificate, "PRIVATE KEY-----") else {
            throw .usage(
                self.key.map { "“\($0)” of --cert-key holds no private key in PEM" }
                    ?? "“\(path)” of --cert holds a certificate without its private key: add --cert-key FILE"
            )
        }
        let identity = ClientIdentity.pem(
            certificates: .bytes(certificate),
            key: key.map { .bytes($0) },
            passphrase: password
        )
        return try Self.checked(identity, self.key ?? path)
    }

    private static func isPEM(_ bytes: [UInt8], _ label: String) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains(label)
    }

    /// An identity that can be used: otherwise the file is wrong, and not the connection.
    private static func checked(_ identity: ClientIdentity, _ path: String) throws(CommandFailure) -> ClientIdentity {
        do throws(TransportError) {
            try identity.check()
            return identity
        } catch {
            let hint = error.cause == .passphraseRefused ? "; it is given with --cert-key-pass" : ""
            throw .usage("“\(path)” cannot be used: \(error.reason)\(hint)")
        }
    }

    /// Checks the file of `SSL_CERT_FILE`, for a request that needs it.
    ///
    /// - Parameter environment: The variables of the process.
    /// - Throws: `CommandFailure` that names the variable.
    func checkRoots(_ environment: [String: String]) throws(CommandFailure) {
        guard let path = environment["SSL_CERT_FILE"], !path.isEmpty else { return }
        if let verify, !["yes", "true", "1"].contains(verify.asciiLowercased) { return }
        do throws(CommandFailure) {
            // The engine reads the file again, when it makes the first connection; a pipe can be read only once.
            guard !PipeFile.isPipe(path) else { throw .usage("“\(path)” is a pipe") }
            guard try Self.isPEM(LocalFile.bytes(path), "CERTIFICATE-----") else {
                throw .usage("“\(path)” holds no certificate in PEM")
            }
        } catch {
            throw .usage("the variable SSL_CERT_FILE: \(error.message); name a file of roots, or unset it")
        }
    }

    /// Whether the certificate is in a PKCS #12 file.
    static func isBundle(_ path: String) -> Bool {
        [".p12", ".pfx"].contains { path.asciiLowercased.ends(withScalars: $0) }
    }

    /// Path and password; as in curl, a colon in the path is written `\:`.
    static func split(_ text: String) -> (path: String, password: String?) {
        var path = String.UnicodeScalarView()
        var isEscaped = false
        for index in text.unicodeScalars.indices {
            let scalar = text.unicodeScalars[index]
            if isEscaped || (scalar != "\\" && scalar != ":") {
                if isEscaped, scalar != ":", scalar != "\\" { path.append("\\") }
                path.append(scalar)
                isEscaped = false
            } else if scalar == ":" {
                return (String(path), String(text[index...].droppingScalars(1)))
            } else {
                isEscaped = true
            }
        }
        return (String(path), nil)
    }
}
