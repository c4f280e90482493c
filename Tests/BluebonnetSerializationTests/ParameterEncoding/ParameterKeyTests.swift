// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Testing

/// Keys, and the containers that types encode under them.
@Suite struct ParameterKeyTests {
    private struct Spellings: Encodable {
        var camel = 1
        var snake = 2

        enum CodingKeys: String, CodingKey {
            case camel = "aB"
            case snake = "a_b"
        }
    }

    @Test func `keys that become equal are an error that names them, the same one each time`() throws {
        struct Letters: Encodable {
            enum Keys: String, CodingKey, CaseIterable {
                case first = "Key"
                case second = "key"
                case third = "KEY"
                case small = "b"
                case large = "B"
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                for key in Keys.allCases { try container.encode(1, forKey: key) }
            }
        }
        let dictionary = ["x": [Letters()]]
        var encoder = ParameterEncoder()
        encoder.keys = .lowercased
        for _ in 0..<20 {
            let error = #expect(throws: SerializationError.self) { try encoder.encode(dictionary) }
            #expect(error?.code == .unencodableValue)
            #expect(error?.codingPath == ["x", "0"])
            #expect(error?.reason == "the keys “B”, “b” all become “b” when they are converted")
        }
        encoder.keys = .snakeCase
        let error = #expect(throws: SerializationError.self) { try encoder.encode(Spellings()) }
        #expect(error?.reason == "the keys “aB”, “a_b” all become “a_b” when they are converted")
        encoder.keys = .unchanged
        #expect(try encoder.encode(Spellings()) == ["aB": 1, "a_b": 2])
    }

    @Test func `a key that is encoded twice, or in two containers, keeps its last value`() throws {
        struct Repeating: Encodable {
            enum Keys: CodingKey { case one, two }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(1, forKey: .one)
                try container.encode(2, forKey: .one)
                var again = encoder.container(keyedBy: Keys.self)
                try again.encode(3, forKey: .one)
            }
        }
        var encoder = ParameterEncoder()
        encoder.keys = .uppercased
        #expect(try encoder.encode(Repeating()) == ["ONE": 3])
    }

    @Test(.bug(id: "F233")) func `a nested container that is requested again continues the first one`() throws {
        struct Repeating: Encodable {
            enum Keys: CodingKey { case map, list, one, two }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                var map = container.nestedContainer(keyedBy: Keys.self, forKey: .map)
                try map.encode(1, forKey: .one)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(1)
                var sameMap = container.nestedContainer(keyedBy: Keys.self, forKey: .map)
                try sameMap.encode(2, forKey: .two)
                var sameList = container.nestedUnkeyedContainer(forKey: .list)
                try sameList.encode(2)
                try list.encode(3)
                try ["a": 1].encode(to: container.superEncoder())
                try ["b": 2].encode(to: container.superEncoder())
            }
        }
        #expect(
            try ParameterValue(encoding: Repeating()) == [
                "map": ["one": 1, "two": 2], "list": [1, 2, 3], "super": ["a": 1, "b": 2],
            ]
        )
    }

    @Test(.bug(id: "F233")) func `a value replaces a nested container, which continues a value of its kind`() throws {
        struct Mixed: Encodable {
            enum Keys: CodingKey { case text, map, list, one, two }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                var replaced = container.nestedContainer(keyedBy: Keys.self, forKey: .text)
                try replaced.encode(1, forKey: .one)
                try container.encode("x", forKey: .text)
                try container.encode(["one": 1], forKey: .map)
                var map = container.nestedContainer(keyedBy: Keys.self, forKey: .map)
                try map.encode(2, forKey: .two)
                try container.encode([1], forKey: .list)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(2)
            }
        }
        #expect(
            try ParameterValue(encoding: Mixed()) == ["text": "x", "map": ["one": 1, "two": 2], "list": [1, 2]]
        )
    }

    @Test(.bug(id: "F233"), arguments: [true, false])
    func `a nested container of another kind than what the key has is an error`(_ hasContainer: Bool) throws {
        struct Confused: Encodable {
            enum Keys: CodingKey { case key }
            var hasContainer: Bool
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                if self.hasContainer {
                    var map = container.nestedContainer(keyedBy: Keys.self, forKey: .key)
                    try map.encode(1, forKey: .key)
                } else {
                    try container.encode(1, forKey: .key)
                }
                var list = container.nestedUnkeyedContainer(forKey: .key)
                try list.encode(2)
            }
        }
        let error = #expect(throws: SerializationError.self) {
            try ParameterValue(encoding: ["a": Confused(hasContainer: hasContainer)])
        }
        #expect(error?.code == .unencodableValue)
        #expect(error?.codingPath == ["a", "key"])
    }

    @Test func `keys of nested containers are compared, too`() {
        struct Nested: Encodable {
            enum Keys: String, CodingKey { case small = "one", large = "One" }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(1, forKey: .small)
                var nested = container.nestedUnkeyedContainer(forKey: .large)
                try nested.encode(2)
            }
        }
        var encoder = ParameterEncoder()
        encoder.keys = .lowercased
        #expect(throws: SerializationError(.unencodableValue, reason: "")) { try encoder.encode(Nested()) }
    }

    /// Encodes another value in place of itself, or as its superclass.
    private struct Forwarding: Encodable {
        var value: any Encodable
        var usesSuperEncoder = false

        func encode(to encoder: any Encoder) throws {
            guard self.usesSuperEncoder else { return try self.value.encode(to: encoder) }
            var container = encoder.unkeyedContainer()
            try self.value.encode(to: container.superEncoder())
        }
    }

    private enum Color: String, CodingKeyRepresentable, Codable { case darkRed }

    @Test(.bug(id: "F333"), .bug(id: "F334"), arguments: [false, true])
    func `the keys of what a type encodes in place of itself are data if they were before`(_ isSuper: Bool) throws {
        struct Inner: Encodable { var pageSize = 1 }
        var encoder = ParameterEncoder()
        encoder.keys = .snakeCase
        let digits = "12345678901234567890.123456789"
        let document = #"{"bodyText":[{"aB":\#(digits)}],"oneTwo":-0.0}"#
        let cases: [(any Encodable & Sendable, ParameterValue)] = [
            (["userID": Inner()], ["userID": ["page_size": 1]]),
            ([Color.darkRed: 1], ["darkRed": 1]),
            (["userID": 1] as Parameters, ["userID": 1]),
            (["userID": Inner()] as Parameters, ["userID": ["page_size": 1]]),
            (try JSONValue(parsing: document), try ParameterValue(JSONValue(parsing: document))),
            (try JSONValue(parsing: digits), try ParameterValue(JSONValue(parsing: digits))),
            (try JSONValue(parsing: "[\(digits)]"), try ParameterValue(JSONValue(parsing: "[\(digits)]"))),
            (Inner(), ["page_size": 1]),
        ]
        for (value, expected) in cases {
            let whole: ParameterValue = isSuper ? [expected] : expected
            #expect(try encoder.encode(Forwarding(value: value, usesSuperEncoder: isSuper)) == whole)
            #expect(try encoder.encode(["aB": value] as Parameters) == ["aB": expected])
        }
    }

    @Test(.bug(id: "F333")) func `a type may encode data beside its own keys, of which none is lost`() throws {
        struct Event: Encodable {
            enum CodingKeys: String, CodingKey { case userID }
            var data: any Encodable
            func encode(to encoder: any Encoder) throws {
                try self.data.encode(to: encoder)
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(7, forKey: .userID)
            }
        }
        var encoder = ParameterEncoder()
        encoder.keys = .snakeCase
        let data: [any Encodable & Sendable] = [["aB": 1], ["aB": 1] as Parameters, ["aB": 1] as JSONValue]
        for data in data { #expect(try encoder.encode(Event(data: data)) == ["aB": 1, "user_id": 7]) }
        let error = #expect(throws: SerializationError.self) {
            try encoder.encode(Event(data: ["user_id": 1] as JSONValue))
        }
        #expect(error?.code == .unencodableValue)
        let twoForms = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        let refusal = #expect(throws: SerializationError.self) { try encoder.encode(Event(data: twoForms)) }
        #expect(refusal?.code == .invalidParameters)
    }

    @Test(.bug(id: "F334")) func `a dictionary with other keys becomes an array`() throws {
        #expect(try ParameterValue(encoding: [1.5: "x"]) == [1.5, "x"])
    }

    /// Asks for containers in containers, and tells which objects encode it.
    private struct Witness: Encodable {
        final class Seen {
            weak var node: AnyObject?
        }

        enum Key: CodingKey {
            case outer, inner
        }

        let seen: Seen

        func encode(to encoder: any Encoder) throws {
            self.seen.node = encoder as AnyObject
            var container = encoder.container(keyedBy: Key.self)
            var outer = container.nestedContainer(keyedBy: Key.self, forKey: .outer)
            var inner = outer.nestedUnkeyedContainer(forKey: .inner)
            _ = inner.nestedContainer(keyedBy: Key.self)
        }
    }

    @Test(.bug(id: "F263")) func `nothing of the encoding of nested containers is kept`() throws {
        let seen = Witness.Seen()
        #expect(try ParameterValue(encoding: Witness(seen: seen)) == ["outer": ["inner": [[:]]]])
        #expect(seen.node == nil)
    }
}
