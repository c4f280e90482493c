// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of TLS: server trust, the client certificate, the versions.
struct TLSCommandOptions: ParsableArguments {
    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("Trust the root certificates in this PEM file, too.", valueName: "file"),
        completion: .file()
    )
    var cacert: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "yes, or a PEM file with the only roots to trust. Checks are never switched off: see --trust.",
            valueName: "yes|file"
        ),
        completion: .file()
    )
    var verify: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Trust the one server certificate that has this fingerprint, whoever issued it, and no other; several with commas.",
            valueName: "sha256:hex"
        )
    )
    var trust: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Show this certificate to the server: a PEM file, or PKCS #12 (.p12, .pfx).",
            valueName: "file[:password]"
        ),
        completion: .file()
    )
    var cert: String?

    @Option(
        name: [.customLong("cert-key"), .customLong("key")],
        parsing: .unconditional,
        help: ArgumentHelp("The private key of --cert, if it is in a PEM file of its own.", valueName: "file"),
        completion: .file()
    )
    var key: String?

    @Option(
        name: .customLong("cert-key-pass"),
        parsing: .unconditional,
        help: ArgumentHelp("The password of the private key, or of the PKCS #12 file.", valueName: "password")
    )
    var keyPassword: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Offer these cipher suites of TLS 1.2 only; those of TLS 1.3 are all good and always offered.",
            valueName: "names"
        )
    )
    var ciphers: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The lowest version of TLS to agree to, 1.2 unless given.", valueName: "version")
    )
    var tlsMin: TLSVersionName?

    @Option(
        name: .customLong("ssl"),
        help: ArgumentHelp("The one version of TLS to agree to: tls1.2 or tls1.3.", valueName: "version")
    )
    var tlsOnly: TLSVersionChoice?
}

/// A version of TLS as it is written.
enum TLSVersionName: String, OptionWord {
    case tls12 = "1.2"
    case tls13 = "1.3"
}

/// A version of TLS as HTTPie writes it.
enum TLSVersionChoice: String, OptionWord {
    case tls12 = "tls1.2"
    case tls13 = "tls1.3"
}
