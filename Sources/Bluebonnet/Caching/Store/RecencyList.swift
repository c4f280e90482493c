// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Values in the order of their last use; every operation takes constant time.
struct RecencyList<Value> {
    private struct Node {
        var value: Value?
        var previous: Int
        var next: Int
    }

    private static var none: Int { -1 }

    private var nodes: [Node] = []
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1

    /// The value at a position.
    subscript(position: Int) -> Value? {
        get { self.nodes[position].value }
        set { self.nodes[position].value = newValue }
    }

    /// The position of the least recently used value; nil if there is none.
    var leastRecent: Int? { self.oldest == Self.none ? nil : self.oldest }

    /// Adds a value as the most recently used one.
    ///
    /// - Returns: Its position, which stays the same until it is removed.
    mutating func insert(_ value: Value) -> Int {
        let position: Int
        if let reused = self.free.popLast() {
            position = reused
            self.nodes[position].value = value
        } else {
            position = self.nodes.count
            self.nodes.append(Node(value: value, previous: Self.none, next: Self.none))
        }
        self.link(position)
        return position
    }

    /// Makes a value the most recently used one.
    mutating func use(_ position: Int) {
        guard position != self.newest else { return }
        self.unlink(position)
        self.link(position)
    }

    /// Removes a value.
    mutating func remove(_ position: Int) -> Value? {
        self.unlink(position)
        self.free.append(position)
        return self.nodes[position].value.take()
    }

    private mutating func link(_ position: Int) {
        self.nodes[position].previous = self.newest
        self.nodes[position].next = Self.none
        if self.newest != Self.none { self.nodes[self.newest].next = position } else { self.oldest = position }
        self.newest = position
    }

    private mutating func unlink(_ position: Int) {
        let (previous, next) = (self.nodes[position].previous, self.nodes[position].next)
        if previous != Self.none { self.nodes[previous].next = next } else { self.oldest = next }
        if next != Self.none { self.nodes[next].previous = previous } else { self.newest = previous }
    }
}
