// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// How often a text occurs, byte by byte.
    func occurrences(of text: String) -> Int {
        self.utf8.indices.count { self.utf8[$0...].starts(with: text.utf8) }
    }
}
