// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
public import HTTPTypes

/// The header fields of a call: a dictionary literal, a dictionary, or `HTTPFields`.
///
/// ```swift
/// let key = "…"
/// let etag: String? = nil
/// let response = try await api.get("me", headers: ["X-Api-Key": key, "If-None-Match": etag])
/// let page = try await api.get("page", headers: [.accept: "text/html"], serializer: .string)
/// ```
///
/// A nil value omits its field. The names of one dictionary are either all text or all `HTTPField.Name`; those that
/// requests carry can be written as in the second line, and a name of your own as `HTTPField.Name.apiKey`. In
/// `HTTPFields` both forms can be used: `fields["X-Api-Key"] = key`. Repeated fields, and fields in an order, need
/// `HTTPFields`; a dictionary literal with a repeated key traps, as in Swift in general.
public protocol HeaderFields: Sendable {
    /// Returns the header fields.
    ///
    /// - Returns: The fields.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidRequest`` for a name that is not a token, a name that
    ///   is repeated in another case, and a value with a line break or another byte that RFC 9110 section 5.5 forbids.
    func makeHeaderFields() throws(SessionError) -> HTTPFields
}

/// A key of a dictionary of header fields: text or an `HTTPField.Name`.
public protocol HeaderName: Sendable {
    /// The name; nil if it is not a token (RFC 9110 section 5.1).
    var headerFieldName: HTTPField.Name? { get }
}

/// A value of a dictionary of header fields: text or an optional text.
public protocol HeaderValue: Sendable {
    /// The value; nil to omit the field.
    var headerFieldValue: String? { get }
}

extension HTTPFields: HeaderFields {
    public func makeHeaderFields() throws(SessionError) -> HTTPFields { self }

    /// Sets fields, each replacing all fields of its name.
    mutating func replaceFields(with fields: HTTPFields) {
        for field in fields { self[fields: field.name] = fields[fields: field.name] }
    }
}

extension Dictionary: HeaderFields where Key: HeaderName, Value: HeaderValue {
    public func makeHeaderFields() throws(SessionError) -> HTTPFields {
        var fields: [HTTPField] = []
        fields.reserveCapacity(self.count)
        for (key, value) in self {
            guard let text = value.headerFieldValue else { continue }
            let name = try HTTPField.name(key)
            try HTTPField.check(text, for: name)
            fields.append(HTTPField(name: name, value: text))
        }
        // A dictionary has no order of its own: sorting makes the order deterministic.
        fields.sort { $0.name.canonicalName.utf8.lexicographicallyPrecedes($1.name.canonicalName.utf8) }
        for (field, next) in zip(fields, fields.dropFirst()) where field.name == next.name {
            throw SessionError(
                .invalidRequest,
                reason: "the header field “\(field.name.rawName)” is given twice; use HTTPFields to send it twice"
            )
        }
        return HTTPFields(fields)
    }
}

extension String: HeaderName, HeaderValue {
    public var headerFieldName: HTTPField.Name? {
        // A name with a colon is a pseudo header field of HTTP/2, which no caller may set.
        self.utf8.contains(UInt8(ascii: ":")) ? nil : HTTPField.Name(self)
    }

    public var headerFieldValue: String? { self }
}

extension HTTPField.Name: HeaderName {
    public var headerFieldName: HTTPField.Name? { self }
}

extension Optional: HeaderValue where Wrapped: HeaderValue {
    public var headerFieldValue: String? { self?.headerFieldValue }
}
