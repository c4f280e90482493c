// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Identifies the current boot of the system.
///
/// Bytes that a killed process has written are available to the next one, unless the system was restarted in between.
package enum BootIdentity {
    /// A text that differs after each boot; nil if the system does not provide it.
    package static let current: String? = {
        guard let bytes = try? FileContent.read("/proc/sys/kernel/random/boot_id", upTo: 64) else { return nil }
        let text = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return text.isEmpty ? nil : String(validating: text, as: UTF8.self)
    }()
}
