// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What the progress of a transfer is counted in.
enum ProgressUnit: Sendable {
    case bytes, requests

    /// A number of them, for example `256.0 MiB` or `1000`.
    func size(_ count: Int64) -> String { self == .bytes ? ByteText.size(count) : String(count) }

    /// How many a second, for example `84.3 MiB/s` or `1250/s`.
    func rate(_ perSecond: Double) -> String {
        self == .bytes ? ByteText.rate(perSecond) : "\(ByteText.fixed(perSecond, digits: 0))/s"
    }
}
