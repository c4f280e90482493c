// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Receives the pairs that ``ParameterFlattener`` finds.
protocol FlatParameterSink: ~Copyable {
    /// Receives one pair.
    ///
    /// - Parameters:
    ///   - key: The whole name, escaped with the flattener's table; not valid after the call.
    ///   - value: Anything but an array, a set or a dictionary.
    /// - Throws: ``SerializationError`` if the value has no text.
    mutating func append(key: UnsafeBufferPointer<UInt8>, value: ParameterValue) throws(SerializationError)
}

/// Finds the leaves of a tree of parameters, each with its whole name, without recursion.
///
/// The escaped name is kept in one buffer, which grows with every level and is truncated when the level ends, so a leaf
/// costs no allocation.
struct ParameterFlattener<Sink: FlatParameterSink & ~Copyable>: ~Copyable {
    /// How the children of an open container are named.
    private enum Naming {
        /// By their keys only: the root.
        case root
        /// By a suffix with their key.
        case nested
        /// By a suffix with their index.
        case position
        /// Like the container itself: a set.
        case unchanged
        /// By a rule that returns the whole name for the container's unescaped name.
        case rule(CustomRule<@Sendable (_ key: String, _ index: Int) -> String>, name: String, escapedName: String)
    }

    /// The name of an open container, and how its children are named.
    private struct Name {
        let naming: Naming
        /// The length of the container's own name.
        let mark: Int
    }

    var sink: Sink
    private let arrays: QueryFormat.Arrays
    private let keyPaths: QueryFormat.KeyPaths
    private let maximumDepth: Int
    private let table: PercentEncoding.Table
    private let opening: UInt32
    private let closing: UInt32
    private var key = ByteBuilder()
    private var levels: [ParameterLevel] = []
    private var names: [Name] = []

    init(sink: consuming Sink, format: QueryFormat, table: PercentEncoding.Table) {
        self.sink = sink
        self.arrays = format.arrays
        self.keyPaths = format.keyPaths
        self.maximumDepth = min(format.maximumDepth, ParsingLimits.maximumDepth)
        self.table = table
        self.opening = table.entry(for: UInt8(ascii: "["))
        self.closing = table.entry(for: UInt8(ascii: "]"))
    }

    mutating func flatten(_ parameters: ParameterValue) throws(SerializationError) {
        guard case .dictionary = parameters else {
            throw SerializationError(
                .invalidParameters,
                reason: "parameters of a query or a form must be a dictionary; these are \(parameters.kindName)"
            )
        }
        do throws(SerializationError) {
            try self.visitAll(parameters)
        } catch {
            var error = error
            error.codingPath = self.levels.codingPath
            throw error
        }
    }

    private mutating func visitAll(_ root: ParameterValue) throws(SerializationError) {
        _ = try self.open(root)
        while let top = self.levels.indices.last {
            guard let child = self.levels[top].next() else {
                self.close()
                continue
            }
            self.appendName(of: child.key, position: self.levels[top].visited - 1, in: self.names[top])
            if try self.open(child.value) { continue }
            try self.sink.append(key: self.key.bytes, value: child.value)
        }
    }

    /// Pushes a container onto the stack; its name is the content of the buffer.
    ///
    /// - Returns: Whether the value is a container.
    private mutating func open(_ value: ParameterValue) throws(SerializationError) -> Bool {
        guard
            let level = try ParameterLevel(value, depth: self.levels.count + 1, maximumDepth: self.maximumDepth)
        else { return false }
        self.names.append(Name(naming: try self.naming(of: value), mark: self.key.count))
        self.levels.append(level)
        return true
    }

    private func naming(of value: ParameterValue) throws(SerializationError) -> Naming {
        switch (value, self.arrays) {
        case (.dictionary, _): return self.levels.isEmpty ? .root : .nested
        case (.array, .rule(let rule)):
            let escapedName = self.key.makeString()
            return .rule(rule, name: try self.table.unescape(escapedName), escapedName: escapedName)
        case (.array, _): return .position
        default: return .unchanged
        }
    }

    private mutating func close() {
        self.levels.removeLast()
        guard case .rule(_, _, let escapedName) = self.names.removeLast().naming else { return }
        // A rule replaces the whole name, and the enclosing containers need theirs again.
        self.key.truncate(to: 0)
        self.key.append(escapedName)
    }

    /// Sets the buffer to the name of a child.
    private mutating func appendName(of key: String?, position: Int, in container: Name) {
        self.key.truncate(to: container.mark)
        switch container.naming {
        case .root: self.key.appendEscaped(key ?? "", self.table)
        case .nested: self.appendNested(key ?? "")
        case .position: self.appendPosition(position)
        case .unchanged: break
        case .rule(let rule, let name, _):
            self.key.truncate(to: 0)
            self.key.appendEscaped(rule.function(name, position), self.table)
        }
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
