// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension HTTPFields {
    /// The value of a field without a constant, for example `headers["X-Request-ID"]`.
    ///
    /// It is the subscript with an `HTTPField.Name`: the values of a repeated field are joined by commas, a new value
    /// replaces all fields of the name, and nil removes them. A literal that is not a token (RFC 9110 section 5.1) is a
    /// mistake in the program, and traps. A name that comes from elsewhere is checked by `HTTPField.Name(_:)`.
    ///
    /// Forbidden bytes of a value become spaces, as in the other subscripts; ``setValue(_:for:)`` refuses them.
    ///
    /// - Parameter name: The name, a literal; case does not matter.
    public subscript(name: StaticString) -> String? {
        get { self[Self.checked(name)] }
        set { self[Self.checked(name)] = newValue }
    }

    private static func checked(_ name: StaticString) -> HTTPField.Name {
        guard let checked = name.description.headerFieldName else {
            preconditionFailure("“\(name)” is not the name of a header field")
        }
        return checked
    }
}
