// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// A challenge of Digest that can be answered (RFC 7616 section 3.3).
package struct DigestChallenge: Sendable {
    /// What is protected besides the request's method and target.
    package enum Quality: String, Sendable {
        /// Nothing.
        case authentication = "auth"
        /// The body.
        case integrity = "auth-int"
    }

    package let realm: String
    package let nonce: String
    package let opaque: String?
    package let algorithm: DigestAlgorithm

    /// Nil for a server that speaks the Digest of RFC 2069.
    package let quality: Quality?

    /// Whether the user name is to be hidden.
    package let hashesUser: Bool

    /// Whether the credentials were right and only the nonce was too old.
    package let isStale: Bool

    /// The `domain` parameter: what else the credentials are for.
    package let domain: String?

    /// Reads a challenge.
    ///
    /// - Returns: Nil if it is not one of Digest, lacks what it needs, or asks for what is not known here.
    package init?(_ challenge: HTTPChallenge) {
        guard challenge.scheme == .digest, let realm = challenge.realm, let nonce = challenge["nonce"],
            let algorithm = DigestAlgorithm.named(challenge["algorithm"] ?? DigestAlgorithm.md5.name),
            // What is hashed and sent back has to be the server's bytes: a replacement character stands for some that are lost.
            challenge.parameters.allSatisfy({ !$0.value.unicodeScalars.contains("\u{FFFD}") })
        else { return nil }
        if let qualities = challenge["qop"] {
            guard let quality = Self.quality(in: qualities) else { return nil }
            self.quality = quality
        } else {
            // RFC 2069 knew MD5 only.
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

    /// The one to use of a list: plain authentication where it is offered, because it needs no second reading of the body.
    private static func quality(in list: String) -> Quality? {
        let offered = list.utf8.split { $0 == UInt8(ascii: ",") || $0 == 0x20 || $0 == 0x09 }
            .compactMap { Quality(rawValue: Substring($0).asciiLowercased) }
        return offered.contains(.authentication) ? .authentication : offered.first
    }
}
