// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet

extension ConnectionOptions {
    /// The numbers of the options, checked; nil for no limit.
    struct Limits {
        /// How long no byte may arrive.
        var idle: Duration?
        /// How long the whole exchange may take.
        var total: Duration?
        var retries = RetryPolicy.never
    }

    /// Returns the limits that the options set.
    ///
    /// - Throws: `CommandFailure` for a number that is out of its range.
    func limits() throws(CommandFailure) -> Limits {
        var limits = Limits()
        limits.idle = try Self.duration(self.timeout ?? 0, "--timeout")
        limits.total = try Self.duration(self.maxTime ?? 0, "--max-time")
        if let retry {
            guard (0...99).contains(retry) else { throw .usage("--retry takes a number from 0 to 99") }
            if retry > 0 { limits.retries = .idempotent(attempts: retry + 1) }
        }
        return limits
    }

    /// - Returns: The duration; nil for 0, which means no limit.
    private static func duration(_ seconds: Double, _ option: String) throws(CommandFailure) -> Duration? {
        guard seconds >= 0, seconds <= 1e7 else {
            throw .usage("\(option) takes a number of seconds, for example 2.5, or 0 for no limit")
        }
        return seconds == 0 ? nil : .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}
