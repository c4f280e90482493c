// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension ParameterValue {
    /// Creates a set.
    ///
    /// Distinct members of a set may be encoded equally, and a set would keep one of them. Then the value is an array of
    /// all, in the order in which a set is written.
    ///
    /// - Parameter members: The encoded members, in any order.
    /// - Throws: As ``sorted(_:maximumDepth:)`` does.
    init(membersOfSet members: [ParameterValue]) throws(SerializationError) {
        let set = Set(members)
        if set.count == members.count {
            self = .set(set)
        } else {
            self = .array(try Self.sorted(members, maximumDepth: ParsingLimits.maximumDepth))
        }
    }

    /// Creates the array of a dictionary that is encoded as its keys and values in turn, in the order of the keys' text.
    ///
    /// - Parameter elements: The keys, each before its value.
    /// - Throws: As ``sorted(_:maximumDepth:)`` does, for the keys.
    init(pairsOfDictionary elements: [ParameterValue]) throws(SerializationError) {
        var pairs: [(text: String, value: ParameterValue)] = []
        for index in stride(from: 0, to: elements.count, by: 2) {
            let text = try elements[index].sortText(maximumDepth: ParsingLimits.maximumDepth)
            pairs.append((text, .array(Array(elements[index...].prefix(2)))))
        }
        var sorted: [ParameterValue] = []
        for case .array(let pair) in Self.sorted(pairs) { sorted += pair }
        self = .array(sorted)
    }

    /// Returns the members of a set, sorted by the UTF-8 bytes of their text.
    ///
    /// Members with the same text, such as a number and its digits as text, are sorted by kind and content, so that the
    /// same set always gives the same bytes.
    static func sorted(
        _ members: some Collection<ParameterValue>,
        maximumDepth: Int
    ) throws(SerializationError) -> [ParameterValue] {
        guard members.count > 1 else { return Array(members) }
        var texts: [(text: String, value: ParameterValue)] = []
        texts.reserveCapacity(members.count)
        for member in members {
            texts.append((try member.sortText(maximumDepth: maximumDepth), member))
        }
        return Self.sorted(texts)
    }

    private static func sorted(_ texts: [(text: String, value: ParameterValue)]) -> [ParameterValue] {
        let sorted = texts.sorted { left, right in
            if left.text.precedesInUTF8(right.text) { return true }
            let isTie = left.text.utf8.count == right.text.utf8.count && !right.text.precedesInUTF8(left.text)
            return isTie && left.value.identity.precedesInUTF8(right.value.identity)
        }
        return sorted.map(\.value)
    }

    /// Returns the text by which this value is sorted among the members of a set.
    private func sortText(maximumDepth: Int) throws(SerializationError) -> String {
        guard maximumDepth >= 0 else {
            throw SerializationError(.limitExceeded, reason: "the parameters are nested too deeply")
        }
        var texts: [String] = []
        switch self {
        case .array(let values):
            for value in values { texts.append(try value.sortText(maximumDepth: maximumDepth - 1)) }
        case .set(let values):
            for value in values { texts.append(try value.sortText(maximumDepth: maximumDepth - 1)) }
            texts.sort { $0.precedesInUTF8($1) }
        case .dictionary(let values):
            for entry in SortedEntries(values).entries {
                texts.append("\(entry.key)=\(try entry.value.sortText(maximumDepth: maximumDepth - 1))")
            }
        default:
            return try self.text()
        }
        return "(\(texts.joined(separator: ",")))"
    }

    /// A text that no other value has; it is asked for only of values with a ``sortText(maximumDepth:)``, which are
    /// not nested too deeply.
    private var identity: String {
        var parts: [String] = []
        switch self {
        case .array(let values):
            for value in values { parts.append(value.identity) }
            return "[" + Self.joined(parts)
        case .set(let values):
            for value in values { parts.append(value.identity) }
            parts.sort { $0.precedesInUTF8($1) }
            return "<" + Self.joined(parts)
        case .dictionary(let values):
            for entry in SortedEntries(values).entries { parts += [entry.key, entry.value.identity] }
            return "{" + Self.joined(parts)
        default:
            return self.scalarIdentity
        }
    }

    private var scalarIdentity: String {
        switch self {
        case .bool(let value): value ? "t" : "f"
        case .int(let value): "i\(value)"
        case .unsigned(let value): "u\(value)"
        case .double(let value): "d\(value.bitPattern)"
        case .number(let value): "e\(value.text)"
        case .string(let value): "s\(value)"
        case .data(let value): "b\(value.base64EncodedString())"
        case .date(let value): "z\(value.timeIntervalSinceReferenceDate.bitPattern)"
        case .null, .array, .set, .dictionary: "n"
        }
    }

    /// Joins texts, each behind the number of its bytes, so that the result tells where each begins and ends.
    private static func joined(_ texts: [String]) -> String {
        texts.map { "\($0.utf8.count):\($0)" }.joined()
    }
}
