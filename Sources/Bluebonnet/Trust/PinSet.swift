// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
public import FoundationEssentials

/// The keys that the servers of some hosts may have; a part of ``PublicKeyPins``.
public struct PinSet: Sendable, Hashable {
    /// Which hosts it is for, see ``PublicKeyPins``.
    public let pattern: String

    /// The pins: one key of the path that was verified, at least, has to be among them.
    public let pins: Set<PublicKeyPin>

    /// When the set ends; nil, the default, for never.
    ///
    /// From then on it refuses nobody, so that a program that nobody updates does not lose its servers; a mismatch is still reported.
    public var expires: Date?

    /// Whether a mismatch is reported, and the server used all the same; false unless changed.
    public var isReportOnly = false

    /// The hosts; nil if the pattern cannot be read.
    private let hosts: HostPattern?

    /// Creates a set.
    ///
    /// - Parameters:
    ///   - pattern: Which hosts it is for.
    ///   - pins: At least two that differ: the second is the backup, a key that is kept elsewhere and takes over when the first is lost.
    ///   - expires: When the set ends.
    ///   - isReportOnly: Whether a mismatch is only reported.
    public init(_ pattern: String, _ pins: [PublicKeyPin], expires: Date? = nil, isReportOnly: Bool = false) {
        self.pattern = pattern
        self.pins = Set(pins)
        self.expires = expires
        self.isReportOnly = isReportOnly
        self.hosts = HostPattern(pattern)
    }

    /// Whether the set is for a host.
    func isFor(_ host: TLSHost) -> Bool { self.hosts?.includes(host) ?? false }

    /// Whether it is for a name that no certificate can be for.
    func isFor(name: String) -> Bool { self.hosts?.includes(name: name) ?? false }

    /// Whether a mismatch refuses the server at a time.
    func isEnforced(at time: Date) -> Bool {
        !self.isReportOnly && self.expires.map { time < $0 } ?? true
    }

    /// What makes the set unusable; nil if nothing does.
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
