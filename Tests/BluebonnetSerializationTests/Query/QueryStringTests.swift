// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct QueryStringTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let parameters: ParameterValue
        let query: String
        var testDescription: String { self.query }
    }

    @Test(arguments: [
        Case(parameters: [:], query: ""),
        Case(
            parameters: ["key": " :#[]@!$&'()*+,;=/?"],
            query: "key=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"
        ),
        Case(parameters: ["key": "value", "key1": "value&"], query: "key=value&key1=value%26"),
        Case(
            parameters: ["a": ["b": [1, 2], "c": ["d": nil]], "z": .set([3, 1])],
            query: "a%5Bb%5D%5B%5D=1&a%5Bb%5D%5B%5D=2&a%5Bc%5D%5Bd%5D&z=1&z=3"
        ),
        Case(parameters: ["b": [["x": 1, "y": 2]]], query: "b%5B%5D%5Bx%5D=1&b%5B%5D%5By%5D=2"),
        Case(parameters: ["a": 1, "B": 2], query: "B=2&a=1"),
        Case(parameters: ["k": [[1, 2], [3]]], query: "k%5B%5D%5B%5D=1&k%5B%5D%5B%5D=2&k%5B%5D%5B%5D=3"),
        Case(parameters: ["a": [], "b": [:], "c": .set([]), "d": [[]]], query: ""),
        Case(parameters: ["a": [3, 1, 2]], query: "a%5B%5D=3&a%5B%5D=1&a%5B%5D=2"),
        Case(parameters: ["t": true, "f": false], query: "f=0&t=1"),
        Case(
            parameters: ["n": -7, "u": .unsigned(.max), "m": .int(.min)],
            query: "m=-9223372036854775808&n=-7&u=18446744073709551615"
        ),
        Case(parameters: ["a": 0.1, "b": 1e20, "c": 100.0, "d": -0.5], query: "a=0.1&b=1e%2B20&c=100&d=-0.5"),
        Case(parameters: ["a": .data(Data("data".utf8))], query: "a=ZGF0YQ%3D%3D"),
        Case(
            parameters: ["a": .date(Date(timeIntervalSinceReferenceDate: 123.456))],
            query: "a=2001-01-01T00%3A02%3A03.456Z"
        ),
        Case(parameters: ["": "v"], query: "=v"),
        Case(parameters: ["": ["a": 1]], query: "%5Ba%5D=1"),
        Case(parameters: ["s": .set(["b", "a", "é", "10", "9"])], query: "s=10&s=9&s=a&s=b&s=%C3%A9"),
        Case(
            parameters: ["é": 1, "z": 2, "e": 3, "日": 4, "😀": 5, "\u{FFFD}": 6],
            query: "e=3&z=2&%C3%A9=1&%E6%97%A5=4&%EF%BF%BD=6&%F0%9F%98%80=5"
        ),
        Case(
            parameters: ["longprefix1": 1, "longprefix": 2, "longprefix0": 3, "longprefi": 4],
            query: "longprefi=4&longprefix=2&longprefix0=3&longprefix1=1"
        ),
    ])
    func `1.1.3 flattens a tree`(_ sample: Case) throws {
        #expect(try QueryString.encode(sample.parameters) == sample.query)
    }

    @Test func `sorts many keys by their UTF-8 bytes`() throws {
        let keys = (0..<500).map { "key\($0 * 7919 % 500)" }
        let parameters = ParameterValue.dictionary(Dictionary(uniqueKeysWithValues: keys.map { ($0, .bool(true)) }))
        let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try QueryString.encode(parameters) == sorted.map { "\($0)=1" }.joined(separator: "&"))
    }

    @Test(arguments: [nil, true, 1, 1.5, "v", [1], .set([1]), .data(Data()), .date(Date())] as [ParameterValue])
    func `1.1.3 refuses a root that is not a dictionary`(_ root: ParameterValue) {
        let error = #expect(throws: SerializationError.self) { try QueryString.encode(root) }
        #expect(error?.code == .invalidParameters)
    }

    private static func nested(_ depth: Int, _ wrap: (ParameterValue) -> ParameterValue) -> ParameterValue {
        var value: ParameterValue = 1
        for _ in 1..<depth { value = wrap(value) }
        return ["k": value]
    }

    @Test(arguments: [0, 1, 2])
    func `nesting up to the limit is written, one more is an error with a path`(kind: Int) throws {
        let wrap: (ParameterValue) -> ParameterValue = { value in
            switch kind {
            case 0: .array([value])
            case 1: .dictionary(["k": value])
            default: .set([value, 2])
            }
        }
        #expect(try QueryString.encode(Self.nested(128, wrap)).hasPrefix("k"))
        let error = #expect(throws: SerializationError.self) { try QueryString.encode(Self.nested(129, wrap)) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.codingPath.first == "k")
        var format = QueryFormat()
        format.maximumDepth = .max
        #expect(try QueryString.encode(Self.nested(1_024, wrap), format: format).hasPrefix("k"))
        #expect(throws: SerializationError.self) { try QueryString.encode(Self.nested(1_025, wrap), format: format) }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e18, -1e18])
    func `a date without ISO 8601 text is an error with its path`(_ interval: Double) {
        let parameters: ParameterValue = ["a": [["b": .date(Date(timeIntervalSince1970: interval))]]]
        let error = #expect(throws: SerializationError.self) { try QueryString.encode(parameters) }
        #expect(error?.code == .unencodableValue)
        #expect(error?.codingPath == ["a", "0", "b"])
    }

    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
        (-62_167_219_200, "0000-01-01T00:00:00Z"), (253_402_300_799.9, "9999-12-31T23:59:59.900Z"),
        (-0.5, "1969-12-31T23:59:59.500Z"),
    ])
    func `writes dates as ISO 8601 in UTC`(_ interval: Double, _ text: String) throws {
        let query = try QueryString.encode(["d": .date(Date(timeIntervalSince1970: interval))])
        #expect(try PercentEncoding.unescape(query) == "d=\(text)")
    }

    @Test(arguments: [
        ("http://h/p", "http://h/p?k=v"),
        ("http://h/p?a=b", "http://h/p?a=b&k=v"),
        ("http://h/p?", "http://h/p?k=v"),
        ("http://h/p#f", "http://h/p?k=v#f"),
        ("http://h/p?#f", "http://h/p?k=v#f"),
        ("http://h/p?a#f?x", "http://h/p?a&k=v#f?x"),
        ("http://h/p?a&", "http://h/p?a&k=v"),
        ("http://h", "http://h?k=v"),
        ("http://h/p#", "http://h/p?k=v#"),
    ])
    func `1.1.6 joins a query to a URL`(_ url: String, _ expected: String) throws {
        let url = try #require(URL(string: url))
        #expect(try QueryString.append("k=v", to: url).absoluteString == expected)
        #expect(try QueryString.append("", to: url) == url)
    }

    @Test(.bug(id: "F428")) func `a form keeps a plus that is allowed, in values and in names for a rule`() throws {
        var format = QueryFormat()
        format.space = .plus
        format.allowedBytes = .query.union(.init("+,:|"))
        #expect(try QueryString.encode(["phone": "+49 30"], format: format) == "phone=%2B49+30")
        format.arrays = .custom { "\($0)|\($1)" }
        #expect(try QueryString.encode(["a+b c": [1, 2]], format: format) == "a%2Bb+c|0=1&a%2Bb+c|1=2")
    }

    @Test func `escapes what a query cannot hold when it joins one`() throws {
        let url = try #require(URL(string: "http://h/p"))
        let joined = try QueryString.append("a=b c#d\r\n&é=\"[1]%41%4&100%", to: url)
        #expect(joined.absoluteString == "http://h/p?a=b%20c%23d%0D%0A&%C3%A9=%22%5B1%5D%41%254&100%25")
    }
}
