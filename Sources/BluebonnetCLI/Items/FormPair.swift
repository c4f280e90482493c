// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// One `name=value` of a query or a form.
enum FormPair {
    /// Writes a pair percent-encoded; unlike the keys of a parameter tree, the name is taken as it is typed.
    static func encode(_ name: String, _ value: String) -> String {
        "\(PercentEncoding.escape(name))=\(PercentEncoding.escape(value))"
    }
}
