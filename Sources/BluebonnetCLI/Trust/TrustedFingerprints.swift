// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport
import Crypto

/// An evaluator that trusts only servers whose certificate has one of the given fingerprints: `--trust`.
///
/// The fingerprint covers the whole certificate, and the handshake proves that the server has its private key. Issuer,
/// host name and validity are not checked, because the user vouches for them.
struct TrustedFingerprints: TrustEvaluator, Hashable {
    private let digests: Set<[UInt8]>

    var mode: TrustMode { .replacing }

    /// Parses comma-separated fingerprints.
    ///
    /// - Parameter text: Fingerprints of the form `sha256:` and 64 hexadecimal digits; colons are ignored.
    /// - Throws: `CommandFailure` for any other text.
    init(_ text: String) throws(CommandFailure) {
        var digests: Set<[UInt8]> = []
        for part in text.unicodeScalars.split(separator: ",") {
            guard let digest = Self.digest(String(part)) else {
                throw .usage(
                    "“\(String(part))” is not the fingerprint of a certificate: write “sha256:” and 64 hexadecimal digits"
                )
            }
            digests.insert(digest)
        }
        guard !digests.isEmpty else { throw .usage("--trust takes a fingerprint: sha256: and 64 hexadecimal digits") }
        self.digests = digests
    }

    private static func digest(_ text: String) -> [UInt8]? {
        let text = text.asciiLowercased
        guard text.starts(withScalars: "sha256:") else { return nil }
        let digits = text.utf8.dropFirst(7).filter { $0 != UInt8(ascii: ":") }
        return digits.count == 64 ? Hexadecimal.bytes(digits) : nil
    }

    /// Returns the fingerprint of a certificate as text.
    static func text(of certificate: [UInt8]) -> String {
        "sha256:" + Hexadecimal.text(SHA256.hash(data: certificate))
    }

    func evaluate(_ server: ServerTrust) async throws {
        guard let leaf = server.certificates.first else { throw TrustRefusal("the server has shown no certificate") }
        guard self.digests.contains(Array(SHA256.hash(data: leaf))) else {
            throw TrustRefusal(
                "the certificate of \(server.host) is not the one that --trust names; it has the fingerprint \(Self.text(of: leaf))",
                fault: .pinMismatch
            )
        }
    }
}
