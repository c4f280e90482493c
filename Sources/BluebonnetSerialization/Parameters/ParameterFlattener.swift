// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Takes the pairs that ``ParameterFlattener`` finds.
protocol FlatParameterSink: ~Copyable {
    /// Takes one pair.
    ///
    /// - Parameters:
    ///   - key: The whole name, escaped by the flattener's table; gone after the call.
    ///   - value: Anything but an array, a set or a dictionary.
    /// - Throws: ``SerializationError`` if the value has no text.
    mutating func append(key: UnsafeBufferPointer<UInt8>, value: ParameterValue) throws(SerializationError)
}

/// Walks a tree of parameters and gives its leaves, each with the whole name that leads to it.
///
/// The name is kept escaped in one buffer that grows on the way down and shrinks on the way up, so a leaf costs no allocation.
struct ParameterFlattener<Sink: FlatParameterSink & ~Copyable>: ~Copyable {
    var sink: Sink
    private let arrays: QueryFormat.Arrays
    private let keyPaths: QueryFormat.KeyPaths
    private let maximumDepth: Int
    private let table: PercentEncoding.Table
    private let opening: UInt32
    private let closing: UInt32
    private var key = ByteBuilder()

    init(sink: consuming Sink, format: QueryFormat, table: PercentEncoding.Table) {
        self.sink = sink
        self.arrays = format.arrays
        self.keyPaths = format.keyPaths
        self.maximumDepth = min(format.maximumDepth, 1_000)
        self.table = table
        self.opening = table.entry(for: UInt8(ascii: "["))
        self.closing = table.entry(for: UInt8(ascii: "]"))
    }

    mutating func flatten(_ parameters: ParameterValue) throws(SerializationError) {
        guard case .dictionary(let values) = parameters else {
            throw SerializationError(
                .invalidParameters,
                reason: "Parameters of a query or a form must be a dictionary; these are \(parameters.kindName)."
            )
        }
        try self.visit(values, depth: 1)
    }

    private mutating func visit(_ value: ParameterValue, depth: Int) throws(SerializationError) {
        switch value {
        case .dictionary(let values): try self.visit(values, depth: depth + 1)
        case .array(let values): try self.visit(values, depth: depth + 1)
        case .set(let values): try self.visit(values, depth: depth + 1)
        default: try self.sink.append(key: self.key.bytes, value: value)
        }
    }

    private mutating func visit(_ values: [String: ParameterValue], depth: Int) throws(SerializationError) {
        try self.checkDepth(depth)
        let mark = self.key.count
        for entry in SortedEntries(values).entries {
            if depth == 1 {
                self.key.appendEscaped(entry.key, self.table)
            } else {
                self.appendNested(entry.key)
            }
            do throws(SerializationError) {
                try self.visit(entry.value, depth: depth)
            } catch {
                throw error.inside(entry.key)
            }
            self.key.truncate(to: mark)
        }
    }

    private mutating func visit(_ values: [ParameterValue], depth: Int) throws(SerializationError) {
        try self.checkDepth(depth)
        if case .rule(let rule) = self.arrays { return try self.visit(values, depth: depth, rule: rule) }
        let mark = self.key.count
        for (index, value) in values.enumerated() {
            self.appendPosition(index)
            do throws(SerializationError) {
                try self.visit(value, depth: depth)
            } catch {
                throw error.inside(String(index))
            }
            self.key.truncate(to: mark)
        }
    }

    /// The caller's rule names the whole element, so the array's own name has to be put back after each.
    private mutating func visit(
        _ values: [ParameterValue],
        depth: Int,
        rule: CustomRule<@Sendable (_ key: String, _ index: Int) -> String>
    ) throws(SerializationError) {
        let escapedKey = self.key.makeString()
        let key = try self.table.unescape(escapedKey)
        for (index, value) in values.enumerated() {
            self.key.truncate(to: 0)
            self.key.appendEscaped(rule.function(key, index), self.table)
            do throws(SerializationError) {
                try self.visit(value, depth: depth)
            } catch {
                throw error.inside(String(index))
            }
        }
        self.key.truncate(to: 0)
        self.key.append(escapedKey)
    }

    private mutating func visit(_ values: Set<ParameterValue>, depth: Int) throws(SerializationError) {
        try self.checkDepth(depth)
        for value in try ParameterValue.sorted(values, maximumDepth: self.maximumDepth - depth) {
            try self.visit(value, depth: depth)
        }
    }

    private func checkDepth(_ depth: Int) throws(SerializationError) {
        guard depth > self.maximumDepth else { return }
        throw SerializationError(
            .limitExceeded,
            reason: "The parameters are nested more than \(self.maximumDepth) levels deep."
        )
    }

    private mutating func appendNested(_ name: String) {
        switch self.keyPaths {
        case .brackets:
            self.key.append(entry: self.opening)
            self.key.appendEscaped(name, self.table)
            self.key.append(entry: self.closing)
        case .dots:
            self.key.appendEscaped(".", self.table)
            self.key.appendEscaped(name, self.table)
        case .rule(let rule):
            self.key.appendEscaped(rule.function(name), self.table)
        }
    }

    private mutating func appendPosition(_ index: Int) {
        switch self.arrays {
        case .none, .rule: break
        case .brackets:
            self.key.append(entry: self.opening)
            self.key.append(entry: self.closing)
        case .indexed: self.key.appendEscaped("[\(index)]", self.table)
        }
    }
}
