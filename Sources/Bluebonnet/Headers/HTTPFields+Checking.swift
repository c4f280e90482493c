// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
public import HTTPTypes

extension HTTPFields {
    /// Sets or removes a field, or throws if its value could not be sent as it is.
    ///
    /// Assigning to a subscript never fails: HTTPTypes converts bytes that RFC 9110 section 5.5 forbids into spaces, and
    /// removes white space around the value.
    ///
    /// ```swift
    /// try request.headers.setValue("Bearer \(token)", for: .authorization)
    /// try configuration.headers.setValue(token, for: "X-Api-Key")
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value, which replaces all fields of the name; nil removes them.
    ///   - name: The name, whose case does not matter.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidRequest`` if the name is not a token, or if the value has
    ///   a line break, another forbidden byte, or white space at its beginning or end; the fields are then unchanged.
    public mutating func setValue(_ value: String?, for name: some HeaderName) throws(SessionError) {
        let name = try HTTPField.name(name)
        if let value { try HTTPField.check(value, for: name) }
        self[name] = value
    }
}

extension HTTPField {
    /// The name of a field.
    ///
    /// - Throws: `invalidRequest` if it is not a token.
    static func name(_ name: some HeaderName) throws(SessionError) -> Name {
        if let checked = name.headerFieldName { return checked }
        // What is behind a colon is a value, which may be secret.
        let text = "\(name)".utf8.prefix { $0 != UInt8(ascii: ":") }.prefix(64)
        let quoted = String(decoding: text, as: UTF8.self).debugDescription
        throw SessionError(.invalidRequest, reason: "the name of the header field \(quoted) is not a token")
    }

    /// Checks that a value is sent as it is.
    ///
    /// - Throws: `invalidRequest` for a value that HTTPTypes would change.
    static func check(_ value: String, for name: Name) throws(SessionError) {
        guard !self.isValidValue(value) else { return }
        let isForbidden = value.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
        let fault = isForbidden ? "a line break or another forbidden character" : "white space at its beginning or end"
        throw SessionError(.invalidRequest, reason: "the value of the header field “\(name.rawName)” holds \(fault)")
    }
}
