// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A setting that cannot be used.
public struct SettingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key of the setting, as listed in the documentation, for example `timeouts.connect`.
    public var key: String

    /// The value; nil if the setting is missing, and for secrets.
    public var value: String?

    /// The problem, and what would be valid.
    public var reason: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - key: The key of the setting.
    ///   - value: The value; nil for a secret.
    ///   - reason: The problem.
    public init(key: String, value: String?, reason: String) {
        self.key = key
        self.value = value
        self.reason = reason
    }

    /// The key, the value unless it is a secret, and the reason.
    public var description: String {
        "the setting \(self.key)\(self.value.map { " has the value “\($0)”, but" } ?? "") \(self.reason)"
    }
}

extension SettingError: LocalizedError {
    /// The sentence of ``description``, which is also what `localizedDescription` gives.
    public var errorDescription: String? { self.description }
}
