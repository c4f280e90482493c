// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import TestSupport
import Testing

/// Every operation whose depth a server or parameters choose, at the depth that the limits allow, on a stack of 512 KiB.
@Suite struct SmallStackTests {
    struct Operation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable () throws -> Void

        init(_ testDescription: String, _ run: @escaping @Sendable () throws -> Void) {
            self.testDescription = testDescription
            self.run = run
        }
    }

    /// A type that holds itself twice a level: in an array and in an object.
    struct Tree: Codable, Sendable {
        var children: [Tree]
        var name: String?
    }

    /// A type that holds itself directly, with a function of its own.
    indirect enum Chain: Codable, Sendable {
        case end
        case link(Chain)

        private enum Key: CodingKey { case next }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            self = try container.decodeIfPresent(Chain.self, forKey: .next).map { .link($0) } ?? .end
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            if case .link(let next) = self { try container.encode(next, forKey: .next) }
        }
    }

    private static let depth = ParsingLimits().depth
    private static let deepest = ParsingLimits(depth: .max)

    private static func nested(_ depth: Int, _ open: String, _ close: String, around leaf: String = "") -> String {
        String(repeating: open, count: depth) + leaf + String(repeating: close, count: depth)
    }

    private static func json(_ depth: Int = depth) -> String {
        Self.nested(depth / 2, "{\"a\":[", "]}")
    }

    private static func parameters(_ depth: Int = depth) -> ParameterValue {
        var value: ParameterValue = 1
        for level in 1...depth { value = level.isMultiple(of: 2) ? ["a": value] : [value] }
        return value
    }

    private static func sets() -> ParameterValue {
        var value: ParameterValue = 1
        for _ in 1..<Self.depth { value = .set([value, 2]) }
        return ["a": value]
    }

    private static func tree() throws -> Tree {
        var tree = Tree(children: [])
        for _ in 1..<(Self.depth / 2) { tree = Tree(children: [tree]) }
        return tree
    }

    private static func chain() -> Chain {
        var chain = Chain.end
        for _ in 1..<Self.depth { chain = .link(chain) }
        return chain
    }

    private static func list(_ text: String) -> Data { Data("<plist>\(text)</plist>".utf8) }

    static let json: [Operation] = [
        Operation("parsing, comparing, hashing and writing a JSONValue") {
            let (one, other) = (try JSONValue(parsing: Self.json()), try JSONValue(parsing: Self.json()))
            #expect(one == other)
            #expect(one.hashValue == other.hashValue)
            #expect(one.serialized(isPretty: true, sortsKeys: true).count > one.description.utf8.count)
            #expect(one.removingNulls() == one)
        },
        Operation("JSONEncoder on a JSONValue") {
            let value = try JSONValue(parsing: Self.json())
            #expect(try JSONValue(parsing: JSONEncoder().encode(value)) == value)
        },
        Operation("JSONDecoder for a JSONValue") {
            let text = "{\"a\":\(Self.nested(Self.depth - 1, "[", "]"))}"
            let value = try DecodableResponseSerializer([String: JSONValue].self).serialize(.stub(text))
            #expect(value["a"]?.array?.count == 1)
            let objects = Self.nested(Self.depth, "{\"a\":", "}", around: "1")
            let tree = try DecodableResponseSerializer([String: JSONValue].self).serialize(.stub(objects))
            #expect(tree["a"]?["a"] != nil)
        },
        Operation("destroying a JSONValue of the maximum depth") {
            let text = Self.nested(ParsingLimits.maximumDepth, "[", "]")
            _ = try JSONValue(parsing: text, limits: Self.deepest)
        },
        Operation("a recursive Decodable type") {
            let tree = Self.nested(Self.depth / 2 - 1, "{\"children\":[", "]}", around: "{\"children\":[]}")
            #expect(try DecodableResponseSerializer(Tree.self).serialize(.stub(tree)).children.count == 1)
            let chain = Self.nested(Self.depth - 1, "{\"next\":", "}", around: "{}")
            guard case .link = try DecodableResponseSerializer(Chain.self).serialize(.stub(chain)) else {
                Issue.record("The chain is empty.")
                return
            }
        },
    ]

    static let others: [Operation] = [
        Operation("a property list in XML") {
            let data = Self.list(Self.nested(Self.depth, "<array>", "</array>"))
            let (one, other) = (try PropertyListValue(parsing: data), try PropertyListValue(parsing: data))
            #expect(one == other)
            #expect(one.hashValue == other.hashValue)
        },
        Operation("a recursive Decodable type from a property list") {
            let leaf = "<dict><key>children</key><array/></dict>"
            let text = Self.nested(
                Self.depth / 2 - 1,
                "<dict><key>children</key><array>",
                "</array></dict>",
                around: leaf
            )
            let serializer = DecodableResponseSerializer(
                Tree.self,
                decoder: PropertyListDecoder(),
                validation: .none
            )
            let tree = try serializer.serialize(.stub(Self.list(text)))
            #expect(tree.children.count == 1)
        },
        Operation("an XML document") {
            let data = Data(Self.nested(Self.depth, "<a>", "</a>").utf8)
            let (one, other) = (try ParsedXML(parsing: data), try ParsedXML(parsing: data))
            #expect(one == other)
            #expect(one.hashValue == other.hashValue)
            #expect(one.root.text.isEmpty)
            #expect(one.description.utf8.count > Self.depth)
        },
    ]

    static let parameters: [Operation] = [
        Operation("a query and a form") {
            let parameters = Self.parameters()
            #expect(try QueryString.encode(parameters).isEmpty == false)
            var form = MultipartFormData()
            try form.append(parameters: parameters)
            #expect(form.parts.count == 1)
            #expect(try QueryString.encode(Self.sets()).isEmpty == false)
        },
        Operation("a query of the maximum depth") {
            var format = QueryFormat()
            format.maximumDepth = .max
            let parameters = Self.parameters(ParsingLimits.maximumDepth)
            let query = try QueryString.encode(parameters, format: format)
            #expect(query.isEmpty == false)
        },
        Operation("a JSON body, and parameters from it") {
            let parameters = Self.parameters()
            let document = try JSONValue(parameters)
            #expect(try ParameterValue(document) == parameters)
            #expect(try JSONValue(Self.sets())["a"]?.array?.count == 2)
        },
        Operation("a property list body") {
            for format in PropertyListRequestSerializer.Format.allCases {
                let serializer = PropertyListRequestSerializer(format: format)
                let body = try #require(try serializer.body(from: Self.parameters()).data)
                #expect(try PropertyListValue(parsing: body)["a"]?.array?.count == 1)
            }
        },
        Operation("a property list body of the maximum depth") {
            for format in PropertyListRequestSerializer.Format.allCases {
                var serializer = PropertyListRequestSerializer(format: format)
                serializer.maximumDepth = .max
                let body = try #require(
                    try serializer.body(from: Self.parameters(ParsingLimits.maximumDepth)).data
                )
                _ = try PropertyListValue(parsing: body, limits: Self.deepest)
            }
        },
        Operation("a recursive Encodable type") {
            let tree = try ParameterValue(encoding: Self.tree())
            #expect(tree["children"]?.array?.count == 1)
            let chain = try ParameterValue(encoding: Self.chain())
            #expect(chain["next"] != nil)
        },
        Operation("a JSONValue as an Encodable value") {
            let value = try JSONValue(parsing: Self.json())
            #expect(try ParameterValue(encoding: value) == ParameterValue(value))
        },
    ]

    @Test(arguments: Self.json + Self.others + Self.parameters)
    func `every operation fits into a stack of 512 KiB at its limit of depth`(_ operation: Operation) throws {
        try SmallStack.run(operation.run)
    }
}
