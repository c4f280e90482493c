// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Removes every member and every element that is `null`, at every depth; a value that is itself `null` stays.
    ///
    /// - Returns: The value without nulls.
    public func removingNulls() -> JSONValue {
        switch self {
        case .array(let elements): .array(elements.lazy.filter { !$0.isNull }.map { $0.removingNulls() })
        case .object(let object):
            .object(
                JSONObject(
                    object.lazy.filter { !$0.value.isNull }.map { (key: $0.key, value: $0.value.removingNulls()) }
                )
            )
        case .null, .bool, .number, .string: self
        }
    }
}
