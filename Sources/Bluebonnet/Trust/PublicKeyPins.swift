// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The keys that the servers of some hosts may have: pins, which refuse servers that would otherwise be trusted.
///
/// Pins are checked in addition to the verification of the chain and of the host, never instead of it. One key of the
/// *verified* path has to be pinned: the server's own, or that of an authority above it. A certificate that a server
/// merely sends along is ignored.
///
/// A pattern is a host (`api.example.com`, an IP address), or all hosts with one label more (`*.example.com`), or a
/// name with all below it (`**.example.com`). If several sets apply to a host, each of them has to be satisfied. Hosts
/// without a set are not affected. The pins are those for the host of the request: after a redirect, those of the new
/// host.
///
/// ```swift
/// configuration.pins = [
///     "*.example.com": [
///         .sha256("r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="),
///         .sha256("WoiWRyIOVNa9ihaBciRSC7XHjliYS9VwUGOIud4PB18="),
///     ]
/// ]
/// ```
///
/// A mismatch fails the call with ``SessionError/Code/untrustedCertificate`` before a byte of the request is sent;
/// ``SessionError/pinReport`` has the keys that were seen. Pins that cannot work fail every call with
/// ``SessionError/Code/invalidConfiguration``: a set without a backup, text that is not a digest, a plain http URL of a
/// pinned host, a transport that does not support them.
public struct PublicKeyPins: Sendable {
    /// The sets.
    public var sets: [PinSet]

    /// Called for every mismatch, enforced or not, once for each set and each connection; nil unless changed.
    ///
    /// It is called from any task, before the call fails: it must be fast and must not block. A reused connection is
    /// not evaluated again.
    public var onReport: (@Sendable (PinReport) -> Void)?

    /// Creates pins.
    ///
    /// - Parameters:
    ///   - sets: The sets.
    ///   - onReport: Called for every mismatch.
    public init(_ sets: [PinSet], onReport: (@Sendable (PinReport) -> Void)? = nil) {
        self.sets = sets
        self.onReport = onReport
    }

    /// The error in the pins; nil if there is none.
    var fault: SessionError? {
        let reason = self.sets.isEmpty ? "the pins are empty" : self.sets.lazy.compactMap(\.fault).first
        return reason.map { SessionError(.invalidConfiguration, reason: $0) }
    }

    /// The sets for a host.
    func sets(for host: String) -> [PinSet] {
        guard let found = HostPattern.host(host) else {
            // No certificate can be for it, but plain http is refused all the same.
            let name = HostPattern.withoutDots(host).asciiLowercased
            return self.sets.filter { $0.isFor(name: name) }
        }
        return self.sets.filter { $0.isFor(found) }
    }
}

extension PublicKeyPins: ExpressibleByDictionaryLiteral {
    /// Creates a set for each pattern.
    ///
    /// - Parameter elements: Patterns and their pins; a pattern may be repeated.
    public init(dictionaryLiteral elements: (String, [PublicKeyPin])...) {
        self.init(elements.map { PinSet($0, $1) })
    }
}
