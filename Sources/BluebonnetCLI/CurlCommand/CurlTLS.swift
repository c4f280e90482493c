// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

/// The client certificate and the versions of TLS of a command of curl.
struct CurlTLS: Sendable {
    private enum Version {
        case tls12, tls13
    }

    private enum CertificateType {
        case pem, bundle
    }

    private var certificate: String?
    private var type: CertificateType?
    private var lowest: Version?
    private var highest: Version?

    /// Reads an option.
    ///
    /// - Parameters:
    ///   - name: The option: `cert`, `cert-type`, `tls-max`, `tlsv1.2` or `tlsv1.3`.
    ///   - value: Its value.
    /// - Throws: `CommandFailure` for a value that has no counterpart.
    mutating func apply(_ name: String, _ value: String) throws(CommandFailure) {
        switch name {
        case "cert": self.certificate = value
        case "cert-type": self.type = try Self.type(value)
        case "tls-max": self.highest = try Self.highest(value)
        default: self.lowest = name == "tlsv1.3" ? .tls13 : .tls12
        }
    }

    /// The options that they are here.
    ///
    /// - Throws: `CommandFailure` for options that contradict each other, or a file whose name does not say its type.
    var words: [String] {
        get throws(CommandFailure) {
            var words: [String] = []
            if let certificate {
                try self.checkType(of: certificate)
                words.append("--cert=\(LiteralPath.text(certificate))")
            }
            switch (self.lowest, self.highest) {
            case (.tls13?, .tls12?): throw .usage("curl's --tls-max 1.2 leaves no version for --tlsv1.3: leave one out")
            // Older versions are never spoken.
            case (_, .tls12?): words.append("--ssl=tls1.2")
            case (.tls13?, .tls13?): words.append("--ssl=tls1.3")
            case (.tls12?, _): words.append("--tls-min=1.2")
            case (.tls13?, _): words.append("--tls-min=1.3")
            case (nil, _): break
            }
            return words
        }
    }

    private func checkType(of certificate: String) throws(CommandFailure) {
        guard let type else { return }
        let isBundle = TLSCommandOptions.isBundle(TLSCommandOptions.split(certificate).path)
        guard isBundle == (type == .bundle) else {
            throw .usage(
                "curl's --cert-type is told by the name of the file here: a PKCS #12 file ends in .p12 or .pfx, and a PEM file does not"
            )
        }
    }

    private static func type(_ text: String) throws(CommandFailure) -> CertificateType {
        switch text.asciiLowercased {
        case "pem": .pem
        case "p12": .bundle
        default: throw .usage("curl's --cert-type takes PEM or P12 here")
        }
    }

    /// nil for the highest that there is.
    private static func highest(_ text: String) throws(CommandFailure) -> Version? {
        switch text.asciiLowercased {
        case "1.2": .tls12
        case "1.3": .tls13
        case "default": nil
        default: throw .usage("curl's --tls-max takes 1.2 or 1.3 here: older versions are never spoken")
        }
    }
}
