// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A Digest challenge that can be answered (RFC 7616 section 3.3).
package struct DigestChallenge: Sendable {
    /// The quality of protection: what is protected besides the request's method and target.
    package enum Quality: String, Sendable {
        /// Nothing else.
        case authentication = "auth"
        /// The body.
        case integrity = "auth-int"
    }

    package let realm: String
    package let nonce: String
    package let opaque: String?
    package let algorithm: DigestAlgorithm

    /// Nil for a server that implements the Digest scheme of RFC 2069.
    package let quality: Quality?

    /// Whether the user name is to be sent hashed.
    package let hashesUser: Bool

    /// Whether the credentials were correct and only the nonce had expired.
    package let isStale: Bool

    /// The `domain` parameter: further URIs that the credentials are for.
    package let domain: String?

    /// Parses a challenge.
    ///
    /// - Returns: Nil if the scheme is not Digest, a required parameter is missing, or a required feature is not
    ///   supported.
    package init?(_ challenge: HTTPChallenge) {
        guard challenge.scheme == .digest, let realm = challenge.realm, let nonce = challenge["nonce"],
            let algorithm = DigestAlgorithm.named(challenge["algorithm"] ?? DigestAlgorithm.md5.name),
            // The server's bytes must be hashed and returned unchanged; a replacement character means that some were
            // lost.
            challenge.parameters.allSatisfy({ !$0.value.unicodeScalars.contains("\u{FFFD}") })
        else { return nil }
        if let qualities = challenge["qop"] {
            guard let quality = Self.quality(in: qualities) else { return nil }
            self.quality = quality
        } else {
            // RFC 2069 defines MD5 only.
            guard algorithm == .md5 else { return nil }
            self.quality = nil
        }
        self.realm = realm
        self.nonce = nonce
        self.opaque = challenge["opaque"]
        self.algorithm = algorithm
        self.hashesUser = challenge["userhash"]?.isASCIIWord("true") == true
        self.isStale = challenge["stale"]?.isASCIIWord("true") == true
        self.domain = challenge["domain"]
    }

    /// Selects from a list: plain authentication if it is offered, because it does not read the body a second time.
    private static func quality(in list: String) -> Quality? {
        let offered = list.utf8.split { $0 == UInt8(ascii: ",") || $0.isBlank }
            .compactMap { Quality(rawValue: Substring($0).asciiLowercased) }
        return offered.contains(.authentication) ? .authentication : offered.first
    }
}
