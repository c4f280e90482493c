// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct ParametersTests {
    private struct Range: Encodable, Sendable {
        var firstPage = 1
        var lastPage: Int?
    }

    private func value(
        _ parameters: Parameters,
        _ change: (inout ParameterEncoder) -> Void = { _ in }
    ) throws -> ParameterValue {
        var encoder = ParameterEncoder()
        change(&encoder)
        return try encoder.encode(parameters)
    }

    @Test func `variables of all types stand beside each other`() throws {
        let page = 2
        let small: UInt8 = 3
        let ratio = 0.5
        let name = "Ada"
        let isOpen = true
        let ids = [3, 5]
        let sizes = ["small": 1]
        let since = Date(timeIntervalSince1970: 0)
        let bytes = Data([1])
        let tree: ParameterValue = ["x": [1, nil]]
        let tags: Set<Int> = [7]
        #expect(
            try self.value([
                "page": page, "small": small, "ratio": ratio, "name": name, "isOpen": isOpen, "ids": ids,
                "sizes": sizes,
                "since": since, "bytes": bytes, "tree": tree, "tags": tags, "range": Range(), "literal": [1, 2],
                "text": "a \(page)", "number": -1.5, "filter": ["size": 3], "empty": [String](),
            ])
                == [
                    "page": 2, "small": 3, "ratio": 0.5, "name": "Ada", "isOpen": true, "ids": [3, 5],
                    "sizes": ["small": 1],
                    "since": .date(since), "bytes": .data(bytes), "tree": tree, "tags": .set([7]),
                    "range": ["firstPage": 1], "literal": [1, 2], "text": "a 2", "number": -1.5, "filter": ["size": 3],
                    "empty": [],
                ]
        )
    }

    @Test func `nil leaves the key out, however deep it is hidden`() throws {
        let none: String? = nil
        let nested: String?? = .some(nil)
        let some: Int?? = .some(.some(1))
        let elements = [1, nil, 3]
        #expect(
            try self.value(["a": none, "b": nested, "c": nil, "d": some, "e": elements, "f": ParameterValue.null])
                == ["d": 1, "e": [1, nil, 3], "f": nil]
        )
    }

    @Test func `a nested mixture has its type named`() throws {
        let size = 3
        let name: String? = "Ada"
        #expect(
            try self.value([
                "filter": ["size": size, "name": name, "none": nil, "deep": ["a": 1, "b": "c"] as Parameters]
                    as Parameters,
                "range": [1, nil, "end"] as ParameterValue,
                "list": [["a": 1, "b": "c"], ["a": name]] as [Parameters],
            ]) == [
                "filter": ["size": 3, "name": "Ada", "deep": ["a": 1, "b": "c"]], "range": [1, nil, "end"],
                "list": [["a": 1, "b": "c"], ["a": "Ada"]],
            ]
        )
    }

    @Test func `keys of a literal stay as they are, those of its values are converted`() throws {
        let converted = try self.value(["pageRange": Range(), "nested": ["someKey": Range()] as Parameters]) {
            $0.keys = .snakeCase
        }
        #expect(converted == ["pageRange": ["first_page": 1], "nested": ["someKey": ["first_page": 1]]])
    }

    @Test(
        arguments: [
            (["a": 1, "b": 2, "a": 3], ["a"]),
            (["x": ["a": nil, "a": 3] as Parameters], ["x", "a"]),
            (["x": [["y": 1], ["a": 1, "a": 1]] as [Parameters]], ["x", "1", "a"]),
        ] as [(Parameters, [String])]
    )
    func `a key that is given twice is refused with its path`(_ parameters: Parameters, _ path: [String]) throws {
        let error = #expect(throws: SerializationError.self) { try self.value(parameters) }
        #expect(error?.code == .invalidParameters)
        #expect(error?.codingPath == path)
    }

    @Test func `an encoder of another format writes them, too`() throws {
        let parameters: Parameters = ["b": 1, "a": ["c": nil, "d": "e"] as Parameters, "n": nil]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(parameters), as: UTF8.self) == #"{"a":{"d":"e"},"b":1}"#)
        #expect(throws: SerializationError.self) { try encoder.encode(["a": 1, "a": 2] as Parameters) }
    }

    @Test func `are built key by key`() throws {
        var parameters = Parameters()
        #expect(try self.value(parameters) == [:])
        parameters["a"] = 1
        parameters["b"] = "x"
        parameters["a"] = 2
        parameters["c"] = 3
        parameters["c"] = nil
        #expect(parameters["a"] as? Int == 2)
        #expect(parameters["z"] == nil)
        #expect(try self.value(parameters) == ["a": 2, "b": "x"])
    }

    @Test func `nesting is limited`() throws {
        var parameters = Parameters()
        for _ in 0..<200 {
            let inner = parameters
            parameters = ["a": inner]
        }
        let error = #expect(throws: SerializationError.self) { try self.value(parameters) }
        #expect(error?.code == .limitExceeded)
    }

    @Test(arguments: [
        (Double.infinity, "inf"), (-.infinity, "-inf"), (.nan, "none"), (1.5, nil),
    ])
    func `numbers that are not finite become text where asked for`(_ number: Double, _ text: String?) throws {
        struct Holder: Encodable {
            var double: Double
            var float: Float
            var list: [Double]
            var single: Single
            struct Single: Encodable {
                var number: Double
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.singleValueContainer()
                    try container.encode(self.number)
                }
            }
        }
        var encoder = ParameterEncoder()
        encoder.floats = .strings(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "none")
        let expected = text.map { ParameterValue.string($0) } ?? .double(number)
        let holder = Holder(double: number, float: Float(number), list: [number], single: .init(number: number))
        #expect(
            try encoder.encode(holder)
                == ["double": expected, "float": expected, "list": [expected], "single": expected]
        )
    }
}
