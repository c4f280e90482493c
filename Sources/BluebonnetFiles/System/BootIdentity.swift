// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Which start of the system this is.
///
/// What a killed process wrote is there for the next one, unless the system itself went down in between.
package enum BootIdentity {
    /// A text that is another one after each start of the system; nil where the system does not tell.
    package static let current: String? = {
        guard let bytes = try? FileContent.read("/proc/sys/kernel/random/boot_id", upTo: 64) else { return nil }
        let text = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return text.isEmpty ? nil : String(validating: text, as: UTF8.self)
    }()
}
