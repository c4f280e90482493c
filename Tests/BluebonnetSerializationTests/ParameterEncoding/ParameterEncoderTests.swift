// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct ParameterEncoderTests {
    struct Wrapper<Value: Encodable & Sendable>: Encodable, Sendable {
        var value: Value
    }

    private func query(
        _ value: some Encodable,
        _ change: (inout ParameterEncoder, inout QueryFormat) -> Void = { _, _ in }
    ) throws -> String {
        var encoder = ParameterEncoder()
        var format = QueryFormat()
        change(&encoder, &format)
        let text = try QueryString.encode(encoder.encode(value), format: format)
        return try PercentEncoding.unescape(text, plusIsSpace: format.space == .plus)
    }

    // MARK: The option matrix

    @Test(arguments: [
        (QueryFormat.Arrays.brackets, "a[]=1&a[]=2"), (.none, "a=1&a=2"), (.indexed, "a[0]=1&a[1]=2"),
        (.custom { "\($0).\($1 + 1)" }, "a.1=1&a.2=2"),
    ])
    func `arrays`(_ arrays: QueryFormat.Arrays, _ expected: String) throws {
        #expect(try self.query(["a": [1, 2]]) { $1.arrays = arrays } == expected)
    }

    @Test func `a custom rule for arrays gets the unescaped name, and names after it are whole`() throws {
        let parameters: ParameterValue = ["ä": ["b": [[1, 2], 3]], "z": 4]
        var format = QueryFormat()
        format.arrays = .custom { "<\($0)|\($1)>" }
        let query = try PercentEncoding.unescape(try QueryString.encode(parameters, format: format))
        #expect(query == "z=4&<<ä[b]|0>|0>=1&<<ä[b]|0>|1>=2&<ä[b]|1>=3")
    }

    @Test(arguments: [(QueryFormat.Bools.numeric, "f=0&t=1"), (.literal, "f=false&t=true")])
    func `truth values`(_ bools: QueryFormat.Bools, _ expected: String) throws {
        #expect(try self.query(["t": true, "f": false]) { $1.bools = bools } == expected)
    }

    @Test(arguments: [
        (ParameterEncoder.DataStrategy.unchanged, "d=ZGF0YQ=="), (.base64, "d=ZGF0YQ=="),
        (.deferred, "d[]=100&d[]=97&d[]=116&d[]=97"), (.custom { .int(Int64($0.count)) }, "d=4"),
    ])
    func `data`(_ strategy: ParameterEncoder.DataStrategy, _ expected: String) throws {
        #expect(try self.query(["d": Data("data".utf8)]) { encoder, _ in encoder.data = strategy } == expected)
    }

    @Test(arguments: [
        (ParameterEncoder.DateStrategy.unchanged, "d=2001-01-01T00:02:03.456Z"),
        (.iso8601, "d=2001-01-01T00:02:03.456Z"),
        (.deferred, "d=123.456"), (.secondsSince1970, "d=978307323.456"), (.millisecondsSince1970, "d=978307323456"),
        (.formatted(.iso8601.year()), "d=2001"), (.custom { _ in "x" }, "d=x"),
    ])
    func `dates`(_ strategy: ParameterEncoder.DateStrategy, _ expected: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: 123.456)
        #expect(try self.query(["d": date]) { encoder, _ in encoder.dates = strategy } == expected)
        #expect(try self.query(["x": ["d": date]]) { encoder, _ in encoder.dates = strategy }.hasPrefix("x[d]="))
    }

    @Test(arguments: [
        (ParameterEncoder.KeyStrategy.unchanged, ["oneTwoThree", "myURLProperty", "a1B", "URL", ""]),
        (.snakeCase, ["one_two_three", "my_url_property", "a1_b", "url", ""]),
        (.kebabCase, ["one-two-three", "my-url-property", "a1-b", "url", ""]),
        (.capitalized, ["OneTwoThree", "MyURLProperty", "A1B", "URL", ""]),
        (.uppercased, ["ONETWOTHREE", "MYURLPROPERTY", "A1B", "URL", ""]),
        (.lowercased, ["onetwothree", "myurlproperty", "a1b", "url", ""]),
        (.custom { "<\($0)>" }, ["<oneTwoThree>", "<myURLProperty>", "<a1B>", "<URL>", "<>"]),
    ])
    func `keys`(_ strategy: ParameterEncoder.KeyStrategy, _ expected: [String]) {
        #expect(["oneTwoThree", "myURLProperty", "a1B", "URL", ""].map(strategy.convert) == expected)
    }

    @Test func `keys are converted one by one, not as a joined path`() throws {
        struct Outer: Encodable {
            struct Inner: Encodable {
                var two = 1
                enum CodingKeys: String, CodingKey { case two = "Two" }
            }
            var one = Inner()
        }
        #expect(try self.query(Outer()) { encoder, _ in encoder.keys = .snakeCase } == "one[two]=1")
        #expect(try self.query(Outer()) { encoder, _ in encoder.keys = .capitalized } == "One[Two]=1")
    }

    @Test func `the keys of a dictionary are data and stay as they are`() throws {
        struct Outer: Encodable {
            struct Inner: Encodable { var aKey = 1 }
            var byName = ["innerKey": Inner(), "InnerKey": Inner()]
            var byNumber = [1: Inner()]
            var wrapped = Wrapped()
        }
        struct Wrapped: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(["oneKey": ["twoKeys": Outer.Inner()]])
            }
        }
        var encoder = ParameterEncoder()
        encoder.keys = .snakeCase
        #expect(
            try encoder.encode(Outer()) == [
                "by_name": ["innerKey": ["a_key": 1], "InnerKey": ["a_key": 1]],
                "by_number": ["1": ["a_key": 1]],
                "wrapped": ["oneKey": ["twoKeys": ["a_key": 1]]],
            ]
        )
    }

    @Test(arguments: [
        (QueryFormat.KeyPaths.brackets, "a[b][c]=1"), (.dots, "a.b.c=1"), (.custom { "-\($0)" }, "a-b-c=1"),
    ])
    func `key paths`(_ keyPaths: QueryFormat.KeyPaths, _ expected: String) throws {
        #expect(try self.query(["a": ["b": ["c": 1]]]) { $1.keyPaths = keyPaths } == expected)
    }

    @Test(arguments: [
        (QueryFormat.Nulls.key, "a&b[]=1&b[]&b[]=2"), (.dropKey, "b[]=1&b[]=2"), (.dropValue, "a=&b[]=1&b[]=&b[]=2"),
        (.null, "a=null&b[]=1&b[]=null&b[]=2"),
    ])
    func `null`(_ nulls: QueryFormat.Nulls, _ expected: String) throws {
        #expect(try self.query(["a": nil, "b": [1, nil, 2]] as ParameterValue) { $1.nulls = nulls } == expected)
    }

    @Test func `an optional that is nil leaves no key unless it is encoded on purpose`() throws {
        struct Optionals: Encodable {
            var a: Int?
            var b: Int? = 2
        }
        #expect(try self.query(Optionals()) == "b=2")
        #expect(try self.query(["a": Int?.none, "b": 2]) == "a&b=2")
    }

    @Test(arguments: [(PercentEncoding.SpaceEncoding.percent, "a%20b=c%2Bd%20e"), (.plus, "a+b=c%2Bd+e")])
    func `space`(_ space: PercentEncoding.SpaceEncoding, _ expected: String) throws {
        var format = QueryFormat()
        format.space = space
        #expect(try QueryString.encode(["a b": "c+d e"], format: format) == expected)
    }

    @Test func `allowed bytes`() throws {
        var format = QueryFormat()
        format.allowedBytes = .unreserved
        #expect(try QueryString.encode(["a": "?/"], format: format) == "a=%3F%2F")
        format.allowedBytes = .query.union(.init("[]"))
        #expect(try QueryString.encode(["a": [-1]], format: format) == "a[]=-1")
        format.allowedBytes = .init("abc")
        #expect(try QueryString.encode(["a": [-1]], format: format) == "a%5B%5D=%2D%31")
    }

    // MARK: What types do

    @Test func `sorting never reorders an array`() throws {
        #expect(try self.query(["a": [3, 1, 10, 2]]) == "a[]=3&a[]=1&a[]=10&a[]=2")
        #expect(
            try self.query(["a": Array((0..<12).reversed())]) { $1.arrays = .indexed }
                == (0..<12).map { "a[\($0)]=\(11 - $0)" }.joined(separator: "&")
        )
    }

    @Test func `a JSONValue keeps the digits of its numbers`() throws {
        let document = try JSONValue(parsing: "{\"a\":[0.1000000000000000055511151231257827,1e400,7]}")
        let digits = try ["0.1000000000000000055511151231257827", "1e400"].map { text in
            ParameterValue.number(try #require(JSONNumber(exactly: text)))
        }
        #expect(try ParameterValue(encoding: ["d": document]) == ["d": ["a": .array(digits + [7])]])
        var encoder = ParameterEncoder()
        encoder.keys = .uppercased
        #expect(try encoder.encode(["d": try JSONValue(parsing: "{\"a\":[1]}")]) == ["d": ["a": [1]]])
    }

    @Test func `dictionaries with integer keys stay dictionaries`() throws {
        #expect(try self.query([2: "b", 1: "a", -1: "z"]) == "-1=z&1=a&2=b")
        #expect(try self.query(["k": [10: "b", 9: "a"]]) == "k[10]=b&k[9]=a")
        #expect(try self.query(["0": "a", "1": "b"]) == "0=a&1=b")
    }

    @Test func `sets stay sets`() throws {
        #expect(try self.query(["s": Set([3, 1, 2])]) == "s=1&s=2&s=3")
        #expect(try ParameterValue(encoding: Set(["a"])) == .set(["a"]))
    }

    @Test func `every number keeps its value`() throws {
        #expect(try ParameterValue(encoding: Int8.min) == .int(-128))
        #expect(try ParameterValue(encoding: [UInt64.max, 1]) == [.unsigned(.max), 1])
        #expect(try ParameterValue(encoding: Float(0.1)) == .double(0.1))
        #expect(try self.query(["f": Float(0.1)]) == "f=0.1")
        #expect(try self.query(["d": Decimal(string: "1.10")]) == "d=1.1")
        let long = "12345678901234567890.123456789"
        #expect(try self.query(["d": Decimal(string: long)]) == "d=\(long)")
        #expect(try ParameterValue(encoding: Decimal(7)) == .int(7))
    }

    @Test(arguments: [
        "0", "7", "-1.5", "0.1", "12345678901234567890.123456789", "0.0000001", "-0.30000000000000004", "1e30",
        "99999999999999999999999999999999999999", "1e127", "1e-127",
    ])
    func `a decimal is a number in JSON, with all its digits, and is read back`(_ text: String) throws {
        let decimal = try #require(Decimal(string: text))
        let body = try JSONRequestSerializer().body(from: ParameterValue(encoding: ["d": decimal])).data
        let json = try #require(body)
        guard case .number = try JSONValue(parsing: json)["d"] else { return #expect(Bool(false), "not a number") }
        #expect(try ResponseDecoder().decode([String: Decimal].self, from: json) == ["d": decimal])
        let query = try self.query(["d": decimal])
        #expect(Decimal(string: String(query.dropFirst(2))) == decimal)
    }

    @Test func `a decimal that is not a number is refused, with its path`() throws {
        let error = #expect(throws: SerializationError.self) {
            try ParameterValue(encoding: ["prices": [1, Decimal.nan]])
        }
        #expect(error?.code == .unencodableValue)
        #expect(error?.codingPath == ["prices", "1"])
    }

    @Test func `URLs and UUIDs are text`() throws {
        let id = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        #expect(try self.query(["u": URL(string: "http://h/p?q")]) == "u=http://h/p?q")
        #expect(try self.query(["u": UUID(uuidString: id)]) == "u=\(id)")
    }

    @Test func `classes with superclasses and nested containers encode`() throws {
        class Base: Encodable {
            var base = 1
        }
        final class Derived: Base {
            enum Keys: String, CodingKey { case own, list, deep, inner }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(2, forKey: .own)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode("x")
                var innerList = list.nestedUnkeyedContainer()
                try innerList.encode(true)
                var dictionary = list.nestedContainer(keyedBy: Keys.self)
                try dictionary.encode("y", forKey: .own)
                try list.encodeNil()
                var deep = container.nestedContainer(keyedBy: Keys.self, forKey: .deep)
                try deep.encode(3, forKey: .inner)
                try super.encode(to: container.superEncoder())
            }
        }
        #expect(
            try ParameterValue(encoding: Derived()) == [
                "own": 2, "list": ["x", [true], ["own": "y"], nil], "deep": ["inner": 3], "super": ["base": 1],
            ]
        )
    }

    @Test func `a value that encodes nothing is an empty dictionary`() throws {
        struct Nothing: Encodable {
            func encode(to encoder: any Encoder) {}
        }
        struct Empty: Encodable {}
        #expect(try ParameterValue(encoding: Nothing()) == [:])
        #expect(try ParameterValue(encoding: Empty()) == [:])
        #expect(try ParameterValue(encoding: Wrapper(value: Nothing())) == ["value": [:]])
    }

    @Test func `parameters inside a type stay as they are`() throws {
        let value: ParameterValue = ["a": .set([1]), "b": .data(Data([1]))]
        #expect(try ParameterValue(encoding: Wrapper(value: value)) == ["value": value])
    }

    @Test func `passes user information on`() throws {
        struct Curious: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(encoder.userInfo.count)
            }
        }
        var encoder = ParameterEncoder()
        let key = try #require(CodingUserInfoKey(rawValue: "k"))
        encoder.userInfo[key] = 1
        #expect(try encoder.encode([Curious()]) == [1])
    }
}
