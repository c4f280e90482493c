// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// Which keys the servers of which hosts may have: pins, which refuse servers that everybody else would trust.
///
/// Pins come on top of the verification of the chain and of the host, and never stand in their place. One key of the path that was
/// *verified* has to be pinned: the server's own, or that of an authority above it. A certificate that a server merely sends along counts
/// for nothing.
///
/// A pattern is a host (`api.example.com`, an IP address), or all hosts with one label more (`*.example.com`), or a name with all
/// below it (`**.example.com`). Where several sets are for a host, each of them has to be satisfied. Hosts that no set is for are
/// not concerned. The pins that count are those for the host of the request: after a redirect, those of the new host.
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
/// A mismatch fails the call with ``SessionError/Code/untrustedCertificate`` before a byte of the request is sent; ``SessionError/pinReport`` has the
/// keys that were seen. Pins that cannot work fail every call with ``SessionError/Code/invalidConfiguration``: a set without a backup, text
/// that is no digest, a plain http URL of a pinned host, a transport that does not support them.
public struct PublicKeyPins: Sendable {
    /// The sets.
    public var sets: [PinSet]

    /// Is told of every mismatch, enforced or not, once for each set and each connection; nil unless changed.
    ///
    /// Called from any task, before the call fails: it must be fast and must not block. A connection that is used again is not judged again.
    public var report: (@Sendable (PinReport) -> Void)?

    /// Creates pins.
    ///
    /// - Parameters:
    ///   - sets: The sets.
    ///   - report: Is told of every mismatch.
    public init(_ sets: [PinSet], report: (@Sendable (PinReport) -> Void)? = nil) {
        self.sets = sets
        self.report = report
    }

    /// What makes the pins unusable; nil if nothing does.
    var fault: SessionError? {
        let reason = self.sets.isEmpty ? "the pins are empty" : self.sets.lazy.compactMap(\.fault).first
        return reason.map { SessionError(.invalidConfiguration, reason: $0) }
    }

    /// The sets for a host.
    func sets(for host: String) -> [PinSet] {
        guard let found = HostPattern.host(host) else {
            // No certificate can be for it, and plain text is refused all the same.
            let name = HostPattern.withoutDots(host).asciiLowercased
            return self.sets.filter { $0.isFor(name: name) }
        }
        return self.sets.filter { $0.isFor(found) }
    }
}

extension PublicKeyPins: ExpressibleByDictionaryLiteral {
    /// Creates a set for each pattern.
    ///
    /// - Parameter elements: Patterns and their pins; a pattern may come more than once.
    public init(dictionaryLiteral elements: (String, [PublicKeyPin])...) {
        self.init(elements.map { PinSet($0, $1) })
    }
}
