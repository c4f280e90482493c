// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// The description of a certificate, for the decision whether to trust it.
enum CertificateText {
    /// Returns the lines about a certificate.
    ///
    /// - Parameter certificate: The certificate in DER.
    /// - Returns: The subject, the issuer, the validity and the fingerprint.
    static func lines(_ certificate: [UInt8]) -> [String] {
        var lines: [String] = []
        if let summary = CertificateInspection.summary(of: certificate) {
            lines.append("subject      \(summary.subject)")
            if !summary.names.isEmpty { lines.append("names        \(summary.names.joined(separator: ", "))") }
            lines.append("issuer       \(summary.issuer)")
            lines.append("valid        \(summary.firstDay) to \(summary.lastDay)")
        }
        lines.append("fingerprint  \(TrustedFingerprints.text(of: certificate))")
        return lines
    }
}
