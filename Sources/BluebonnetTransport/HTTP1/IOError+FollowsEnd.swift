// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension IOError {
    #if os(Linux)
    /// Whether a write failed after the server had ended its side in order, so that everything it sent has arrived.
    ///
    /// A reset after that end is EPIPE on Linux, and any other reset ECONNRESET.
    var followsEnd: Bool { self.errnoCode == EPIPE }
    #else
    /// Unknown: these systems report EPIPE for both.
    var followsEnd: Bool { false }
    #endif
}
