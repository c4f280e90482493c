// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The members of a JSON object: names and values in the order in which the names first appeared.
///
/// Names are compared byte by byte (RFC 8259 section 8.3); two spellings of one accented letter are two names.
/// Looking up a name takes constant time in objects of more than 16 members and at most 16 comparisons in smaller ones.
public struct JSONObject: Sendable {
    /// One member of an object.
    public struct Member: Sendable, Hashable {
        /// The name.
        public var key: String
        /// The value.
        public var value: JSONValue
    }

    /// The number of members from which an index is kept.
    static let indexThreshold = 16

    private(set) var members: [Member]
    private var index: [BytewiseString: Int]?

    /// Creates an empty object.
    public init() {
        self.members = []
        self.index = nil
    }

    /// Creates an object from pairs; if a name occurs twice, the last value replaces the first, in its position.
    ///
    /// - Parameter pairs: Names and values.
    public init(_ pairs: some Sequence<(key: String, value: JSONValue)>) {
        self.init(lastWins: pairs.map { Member(key: $0.key, value: $0.value) })
    }

    /// Creates an object from members with distinct names, with their index if there are many.
    init(distinct members: [Member], index: [BytewiseString: Int]? = nil) {
        self.members = members
        self.index = index
    }

    /// Creates an object from members, some of which may have the same name.
    init(lastWins members: [Member]) {
        var index: [BytewiseString: Int] = [:]
        index.reserveCapacity(members.count)
        for (position, member) in members.enumerated() { index[BytewiseString(member.key)] = position }
        if index.count < members.count {
            self.init(merging: members)
        } else {
            self.init(distinct: members, index: members.count > Self.indexThreshold ? index : nil)
        }
    }

    private init(merging members: [Member]) {
        var index: [BytewiseString: Int] = [:]
        var merged: [Member] = []
        for member in members {
            let key = BytewiseString(member.key)
            if let position = index[key] {
                merged[position].value = member.value
            } else {
                index[key] = merged.count
                merged.append(member)
            }
        }
        self.members = merged
        self.index = merged.count > Self.indexThreshold ? index : nil
    }

    /// The value of the member with this name; setting nil removes the member.
    ///
    /// A new member is appended.
    ///
    /// - Parameter name: The member's name.
    /// - Complexity: Constant; removal is linear in the number of members.
    public subscript(name: String) -> JSONValue? {
        get { self.position(of: name).map { self.members[$0].value } }
        set {
            switch (self.position(of: name), newValue) {
            case (let position?, let value?): self.members[position].value = value
            case (let position?, nil):
                self.members.remove(at: position)
                self.rebuildIndex()
            case (nil, let value?): self.append(Member(key: name, value: value))
            case (nil, nil): return
            }
        }
    }

    private func position(of name: String) -> Int? {
        if let index = self.index { return index[BytewiseString(name)] }
        return self.members.firstIndex { BytewiseString.areEqual($0.key, name) }
    }

    private mutating func append(_ member: Member) {
        self.members.append(member)
        if self.index != nil {
            self.index?[BytewiseString(member.key)] = self.members.count - 1
        } else if self.members.count > Self.indexThreshold {
            self.rebuildIndex()
        }
    }

    private mutating func rebuildIndex() {
        guard self.members.count > Self.indexThreshold else {
            self.index = nil
            return
        }
        var index: [BytewiseString: Int] = [:]
        index.reserveCapacity(self.members.count)
        for (position, member) in self.members.enumerated() { index[BytewiseString(member.key)] = position }
        self.index = index
    }
}

extension JSONObject: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { self.members.count }
    public subscript(position: Int) -> Member { self.members[position] }

    /// The names, in order.
    public var keys: [String] { self.members.map(\.key) }

    /// The values, in the order of their names.
    public var values: [JSONValue] { self.members.map(\.value) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.lazy.map { (key: $0.0, value: $0.1) })
    }
}

extension JSONObject: Hashable {
    /// Whether both objects have the same members, in any order.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        return left.members.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        var combined = 0
        for member in self.members {
            var memberHasher = Hasher()
            memberHasher.combine(BytewiseString(member.key))
            memberHasher.combine(member.value)
            combined ^= memberHasher.finalize()
        }
        hasher.combine(combined)
    }
}
