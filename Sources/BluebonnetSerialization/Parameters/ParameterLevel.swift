// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A container of parameters whose children are visited one after another.
///
/// The encoders of documents keep these on their own stack, so that the depth of the parameters does not use the
/// thread's stack.
struct ParameterLevel {
    private enum Children {
        case members([SortedEntries.Entry])
        case elements([ParameterValue])
    }

    private let children: Children

    /// The number of children visited so far.
    private(set) var visited = 0

    /// Prepares a container; nil for a single value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - sortsKeys: Whether the members of a dictionary are visited in the order of their keys' UTF-8 bytes.
    ///   - depth: The number of the level, 1 for the root.
    ///   - maximumDepth: The maximum number of levels.
    /// - Throws: ``SerializationError/Code/limitExceeded`` beyond that.
    init?(
        _ value: ParameterValue,
        sortsKeys: Bool = true,
        depth: Int,
        maximumDepth: Int
    ) throws(SerializationError) {
        guard value.isContainer else { return nil }
        guard depth <= maximumDepth else {
            throw SerializationError(
                .limitExceeded,
                reason: "the parameters are nested more than \(maximumDepth) levels deep"
            )
        }
        switch value {
        case .array(let values): self.children = .elements(values)
        case .set(let values):
            self.children = .elements(try ParameterValue.sorted(values, maximumDepth: maximumDepth - depth))
        case .dictionary(let values):
            self.children = .members(SortedEntries(values, isSorted: sortsKeys).entries)
        default: return nil
        }
    }

    /// Whether the children have keys.
    var isDictionary: Bool {
        if case .members = self.children { true } else { false }
    }

    /// The number of children.
    var count: Int {
        switch self.children {
        case .members(let entries): entries.count
        case .elements(let values): values.count
        }
    }

    /// Returns the next child, or nil after the last; `key` is nil in an array.
    mutating func next() -> (key: String?, value: ParameterValue)? {
        guard self.visited < self.count else { return nil }
        defer { self.visited += 1 }
        switch self.children {
        case .members(let entries): return (entries[self.visited].key, entries[self.visited].value)
        case .elements(let values): return (nil, values[self.visited])
        }
    }

    /// The key or index of the child that was visited last, for coding paths.
    var currentKey: String {
        switch self.children {
        case .members(let entries): entries[self.visited - 1].key
        case .elements: String(self.visited - 1)
        }
    }
}

extension [ParameterLevel] {
    /// The path to the child that is being visited.
    var codingPath: [String] { self.filter { $0.visited > 0 }.map(\.currentKey) }
}
