// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A server whose keys are not those that a ``PinSet`` expects.
public struct PinReport: Error, Sendable, Hashable {
    /// The host of the request.
    public var host: String

    /// The port of the request.
    public var port: Int

    /// The pattern of the set.
    public var pattern: String

    /// The keys of the verified path, the server's own first.
    public var seen: [PublicKeyPin]

    /// The keys of the set, one of which is expected.
    public var expected: Set<PublicKeyPin>

    /// Whether the server was refused for it; false if the set only reports, or has expired.
    public var isEnforced: Bool

    /// Creates a report, for tests of a hook.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - port: The port.
    ///   - pattern: The pattern of the set.
    ///   - seen: The keys of the server's path.
    ///   - expected: The keys of the set.
    ///   - isEnforced: Whether the server was refused.
    public init(
        host: String,
        port: Int = 443,
        pattern: String,
        seen: [PublicKeyPin],
        expected: Set<PublicKeyPin>,
        isEnforced: Bool
    ) {
        (self.host, self.port, self.pattern) = (host, port, pattern)
        (self.seen, self.expected, self.isEnforced) = (seen, expected, isEnforced)
    }
}

extension PinReport: CustomStringConvertible {
    /// One sentence, with the keys that were seen.
    public var description: String {
        let keys = self.seen.map(\.description).joined(separator: ", ")
        return "no key of \(self.host) is pinned for \(self.pattern); its verified path has \(keys)"
    }
}

extension PinReport: LocalizedError {
    /// The sentence of ``description``, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.description }
}
