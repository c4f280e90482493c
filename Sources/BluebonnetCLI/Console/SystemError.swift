// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The system's error numbers as words.
enum SystemError {
    /// The system's own words for an error number, for example "no space left on device".
    static func text(_ code: Int32) -> String {
        guard let words = strerror(code).map({ String(cString: $0) }), !words.isEmpty else { return "error \(code)" }
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}
