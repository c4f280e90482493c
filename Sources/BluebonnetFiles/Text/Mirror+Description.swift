// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension Mirror {
    /// Creates the mirror of a value that is shown as its description everywhere.
    ///
    /// The default mirror would show every stored property to `print`, `dump` and a debugger, credentials included.
    ///
    /// - Parameter value: The value; its description holds no secret.
    package init<Value: CustomStringConvertible>(describing value: Value) {
        self.init(value, children: ["description": value.description])
    }
}
