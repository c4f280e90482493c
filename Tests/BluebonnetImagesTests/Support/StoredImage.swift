// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A small file in `Fixtures`, in Base64.
struct StoredImage: Decodable, Sendable, CustomTestStringConvertible {
    var name: String
    var data: Data
    var testDescription: String { self.name }
}
