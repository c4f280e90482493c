// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// A `name=value` pair of a query or a form.
enum FormPair {
    /// Percent-encodes a pair; unlike the keys of a parameter tree, the name is not interpreted.
    static func encode(_ name: String, _ value: String) -> String {
        "\(PercentEncoding.escape(name))=\(PercentEncoding.escape(value))"
    }
}
