// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Takes the pairs that ``ParameterFlattener`` finds.
protocol FlatParameterSink: ~Copyable {
    /// Takes one pair.
    ///
    /// - Parameters:
    ///   - key: The whole name, escaped by the flattener's table; not valid after the call.
    ///   - value: Anything but an array, a set or a dictionary.
    /// - Throws: ``SerializationError`` if the value has no text.
    mutating func append(key: UnsafeBufferPointer<UInt8>, value: ParameterValue) throws(SerializationError)
}

/// Finds the leaves of a tree of parameters, each with the whole name that leads to it, without recursion.
///
/// The name is kept escaped in one buffer, which grows with every level and is truncated when the level ends, so a leaf costs no
/// allocation.
struct ParameterFlattener<Sink: FlatParameterSink & ~Copyable>: ~Copyable {
    /// How the children of a container are named.
    private enum Naming {
        /// By their keys alone: the root.
        case root
        /// By a suffix with their key.
        case nested
        /// By a suffix with their position.
        case position
        /// Like the container itself: a set.
        case unchanged
        /// By a rule that makes the whole name from the container's unescaped name.
        indirect case rule(
            CustomRule<@Sendable (_ key: String, _ index: Int) -> String>,
            name: String,
            escapedName: String
        )
    }

    /// An open container.
    private struct Level {
        var children: ParameterLevel
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
    /// The innermost open container, and those around it, outermost first.
    private var current: Level?
    private var outer: [Level] = []

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
                reason: "Parameters of a query or a form must be a dictionary; these are \(parameters.kindName)."
            )
        }
        do throws(SerializationError) {
            try self.open(parameters)
            while self.current != nil { try self.visitNext() }
        } catch {
            var error = error
            error.codingPath = ((self.outer + [self.current].compactMap { $0 }).map(\.children)).codingPath
            throw error
        }
    }

    /// Visits the next child of the innermost container, or closes it after the last.
    private mutating func visitNext() throws(SerializationError) {
        guard let child = self.current?.children.next() else { return self.close() }
        self.appendName(of: child.key)
        if child.value.isContainer {
            try self.open(child.value)
        } else {
            try self.sink.append(key: self.key.bytes, value: child.value)
        }
    }

    /// Makes a container the innermost one; its name is what the buffer holds.
    private mutating func open(_ container: ParameterValue) throws(SerializationError) {
        let depth = self.outer.count + (self.current == nil ? 1 : 2)
        let children = try ParameterLevel(container, depth: depth, maximumDepth: self.maximumDepth)
        let level = Level(children: children, naming: try self.naming(of: container), mark: self.key.count)
        if let current = self.current.take() { self.outer.append(current) }
        self.current = level
    }

    private func naming(of value: ParameterValue) throws(SerializationError) -> Naming {
        switch (value, self.arrays) {
        case (.dictionary, _): return self.current == nil ? .root : .nested
        case (.array, .rule(let rule)):
            let escapedName = self.key.makeString()
            return .rule(rule, name: try self.table.unescape(escapedName), escapedName: escapedName)
        case (.array, _): return .position
        default: return .unchanged
        }
    }

    private mutating func close() {
        let closed = self.current.take()
        self.current = self.outer.popLast()
        guard case .rule(_, _, let escapedName) = closed?.naming else { return }
        // A rule replaces the whole name, and the containers outside need theirs again.
        self.key.truncate(to: 0)
        self.key.append(escapedName)
    }

    /// Makes the buffer the name of a child.
    private mutating func appendName(of key: String?) {
        guard let current = self.current else { return }
        self.key.truncate(to: current.mark)
        switch current.naming {
        case .root: self.key.appendEscaped(key ?? "", self.table)
        case .nested: self.appendNested(key ?? "")
        case .position: self.appendPosition(current.children.visited - 1)
        case .unchanged: break
        case .rule(let rule, let name, _):
            self.key.truncate(to: 0)
            self.key.appendEscaped(rule.function(name, current.children.visited - 1), self.table)
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
