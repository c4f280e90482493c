// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
public import FoundationEssentials

/// The keys that the servers of some hosts may have; a part of ``PublicKeyPins``.
public struct PinSet: Sendable, Hashable {
    /// The hosts that it applies to, see ``PublicKeyPins``.
    public let pattern: String

    /// The pins, which must include at least one key of the verified path.
    public let pins: Set<PublicKeyPin>

    /// When the set expires; nil, the default, for never.
    ///
    /// From then on it refuses no server, so that a program without updates does not lose its servers; a mismatch is
    /// still reported.
    public var expires: Date?

    /// Whether a mismatch is only reported, and the server is used all the same; false unless changed.
    public var isReportOnly = false

    /// The hosts; nil if the pattern is invalid.
    private let hosts: HostPattern?

    /// Creates a set.
    ///
    /// - Parameters:
    ///   - pattern: The hosts that it applies to.
    ///   - pins: At least two different pins: the second is the backup, a key that is kept elsewhere and replaces the
    ///     first if it is lost.
    ///   - expires: When the set expires.
    ///   - isReportOnly: Whether a mismatch is only reported.
    public init(_ pattern: String, _ pins: [PublicKeyPin], expires: Date? = nil, isReportOnly: Bool = false) {
        self.pattern = pattern
        self.pins = Set(pins)
        self.expires = expires
        self.isReportOnly = isReportOnly
        self.hosts = HostPattern(pattern)
    }

    /// Whether the set applies to a host.
    func isFor(_ host: TLSHost) -> Bool { self.hosts?.includes(host) ?? false }

    /// Whether it applies to a name that no certificate can be for.
    func isFor(name: String) -> Bool { self.hosts?.includes(name: name) ?? false }

    /// Whether a mismatch refuses the server at a time.
    func isEnforced(at time: Date) -> Bool {
        !self.isReportOnly && self.expires.map { time < $0 } ?? true
    }

    /// The error in the set; nil if there is none.
    var fault: String? {
        guard self.hosts != nil else { return "the pattern “\(self.pattern)” of pins is not one of hosts" }
        if let pin = self.pins.first(where: { $0.malformedText != nil }) {
            return "a pin for \(self.pattern) is not the SHA-256 of a key in base64 or hexadecimal: \(pin)"
        }
        guard self.pins.count >= 2 else {
            return
                "the pins for \(self.pattern) have no backup: at least two keys are needed, or the loss of one locks the program out"
        }
        return nil
    }
}
