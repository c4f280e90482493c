// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A tree of parameters, for queries, forms and documents.
public enum ParameterValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case array([ParameterValue])
    case set(Set<ParameterValue>)
    case dictionary([String: ParameterValue])
}
