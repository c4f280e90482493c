// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluebonnetTransport

/// The options of TLS: the client certificate and the versions.
struct TLSCommandOptions: ParsableArguments {
    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show this certificate to the server: a PEM file, or PKCS #12 (.p12, .pfx).",
            valueName: "file[:password]"
        )
    )
    var cert: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("The private key of --cert, if it is in a PEM file of its own.", valueName: "file")
    )
    var key: String?

    @Option(name: .long, help: ArgumentHelp("The lowest version of TLS to agree to.", valueName: "version"))
    var tlsMin: TLSVersionName?
}

/// A version of TLS as it is written.
enum TLSVersionName: String, CaseIterable, ExpressibleByArgument, Sendable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}

extension TLSCommandOptions {
    /// What the options and the environment say.
    ///
    /// - Parameters:
    ///   - options: What is changed.
    ///   - environment: `HOME`, for a path that begins with `~/`, and `SSLKEYLOGFILE`.
    /// - Throws: `CommandFailure` if options contradict each other or a file is not there.
    func apply(to options: inout TLSOptions, environment: [String: String]) throws(CommandFailure) {
        if let tlsMin { options.minimumVersion = tlsMin == .tls13 ? .tls13 : .tls12 }
        if let path = environment["SSLKEYLOGFILE"], !path.isEmpty { options.keyLog = .file(path) }
        guard let cert else {
            if self.key != nil { throw .usage("--key belongs to --cert: add --cert FILE") }
            return
        }
        let (path, password) = Self.split(cert)
        let home = environment["HOME"]
        let certificate = try LocalFile.bytes(LocalFile.expanded(path, home: home))
        let isBundle = [".p12", ".pfx"].contains { path.lowercased().ends(withScalars: $0) }
        if isBundle {
            guard self.key == nil else { throw .usage("a PKCS #12 file has its key inside: leave out --key") }
            options.clientIdentity = .pkcs12(.bytes(certificate), passphrase: password ?? "")
        } else {
            var key: ClientIdentity.Source?
            if let path = self.key { key = .bytes(try LocalFile.bytes(LocalFile.expanded(path, home: home))) }
            options.clientIdentity = .pem(certificates: .bytes(certificate), key: key, passphrase: password)
        }
    }

    /// Path and password; as in curl, a colon in the path is written `\:`.
    private static func split(_ text: String) -> (path: String, password: String?) {
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
