// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A tree of parameters, for queries, forms and documents.
///
/// Create one from a literal, or from any `Encodable` value with ``ParameterEncoder``:
///
/// ```swift
/// let parameters: ParameterValue = ["name": "Ada", "roles": ["admin", "author"], "manager": nil]
/// ```
///
/// A dictionary has no order. The serializers sort its keys by their UTF-8 bytes, so the same parameters always give
/// the same bytes, unless ``JSONRequestSerializer/sortsKeys`` is off or a form has a random boundary.
public enum ParameterValue: Sendable, Hashable {
    /// Null: a bare key in a query, `null` in JSON, not allowed in a property list.
    case null
    /// A Boolean: `1` or `0` in a query.
    case bool(Bool)
    /// An integer.
    case int(Int64)
    /// An integer above the largest ``int(_:)``.
    case unsigned(UInt64)
    /// A floating-point number: in a query, the shortest text that parses to the same number, without a trailing `.0`.
    case double(Double)
    /// A number by its decimal digits, which none of the types above holds exactly: text in a property list.
    case number(JSONNumber)
    /// Text.
    case string(String)
    /// Data: base64 in a query and in JSON, bytes in a multipart form and in a property list.
    case data(Data)
    /// A date: ISO 8601 in UTC in a query and in JSON, with a fraction of a second if there is one.
    case date(Date)
    /// Ordered values.
    case array([ParameterValue])
    /// Unordered values: in a query the key is repeated, with the values sorted by the UTF-8 bytes of their text.
    case set(Set<ParameterValue>)
    /// Values by key.
    case dictionary([String: ParameterValue])
}
