// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A tree of parameters, for queries, forms and documents.
///
/// Literals make one, and so does any `Encodable` value through ``ParameterEncoder``:
///
/// ```swift
/// let parameters: ParameterValue = ["name": "Ada", "roles": ["admin", "author"], "manager": nil]
/// ```
///
/// A dictionary has no order. The serializers sort its keys by their UTF-8 bytes, so the same parameters always give the same bytes,
/// unless ``JSONRequestSerializer/sortsKeys`` is off or a form has a random boundary.
public enum ParameterValue: Sendable, Hashable {
    /// Nothing: a bare key in a query, `null` in JSON, impossible in a property list.
    case null
    /// A truth value: `1` or `0` in a query.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// A whole number above the largest ``int(_:)``.
    case unsigned(UInt64)
    /// A number with a fraction: in a query its shortest text that reads back as the same number, without a trailing `.0`.
    case double(Double)
    /// A number by its decimal digits, which none of the types above holds exactly: text in a property list.
    case number(JSONNumber)
    /// Text.
    case string(String)
    /// Bytes: base64 in a query and in JSON, themselves in a multipart form and in a property list.
    case data(Data)
    /// A moment: ISO 8601 in UTC in a query and in JSON, with a fraction of a second where there is one.
    case date(Date)
    /// Values in order.
    case array([ParameterValue])
    /// Values without order: in a query the key is repeated, with the values sorted by the UTF-8 bytes of their text.
    case set(Set<ParameterValue>)
    /// Values by name.
    case dictionary([String: ParameterValue])
}
