// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct ResponseDecoderTests {
    private struct Everything: Codable, Equatable, Sendable {
        var oneDate = Date(timeIntervalSinceReferenceDate: 785_000_000.123_456_7)
        var olderDate = Date(timeIntervalSince1970: -1.5)
        var someData = Data([0, 255, 128])
        var website = URL(string: "https://example.com/a?b=c")
        var bigNumber = UInt64.max
        var smallNumber = Int64.min
        var exactNumber = 0.1
        var floatNumber: Float = 0.1
        var isOpen = true
        var noName: String?
        var textsByName = ["keyOne": "a", "key-two": "b", "key_three": "c"]
        var numbers: Set<Int> = [1, 2, 3]
        var kinds = [Kind.first, .second]
        var inner = [Inner()]

        enum Kind: String, Codable { case first, second }
        struct Inner: Codable, Equatable, Sendable { var firstName = "Ada" }
    }

    /// The document that the JSON serializer writes for a value.
    private func document(_ value: some Encodable, _ encoder: ParameterEncoder) throws -> Data {
        try #require(try JSONRequestSerializer().body(from: encoder.encode(value)).data)
    }

    @Test func `with the defaults what is sent is read back, fractions of seconds too`() throws {
        let value = Everything()
        let document = try self.document(value, ParameterEncoder())
        #expect(try ResponseDecoder().decode(Everything.self, from: document) == value)
        let response = Response(status: .ok, headers: [.contentType: "application/json"], body: document)
        #expect(try DecodableResponseSerializer(Everything.self).serialize(response) == value)
        let error = SerializationError(.unacceptableStatus, reason: "", response: response)
        #expect(try error.decode(Everything.self) == value)
    }

    struct Pair: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var encoder = ParameterEncoder()
        var decoder = ResponseDecoder()

        init(_ name: String, _ change: (inout ParameterEncoder, inout ResponseDecoder) -> Void) {
            self.testDescription = name
            change(&self.encoder, &self.decoder)
        }
    }

    @Test(arguments: [
        Pair("snake case") {
            $0.keys = .snakeCase
            $1.keys = .snakeCase
        },
        Pair("kebab case") {
            $0.keys = .kebabCase
            $1.keys = .kebabCase
        },
        Pair("capitalized") {
            $0.keys = .capitalized
            $1.keys = .capitalized
        },
        Pair("custom keys") {
            $0.keys = .custom { "_\($0)" }
            $1.keys = .custom { String($0.dropFirst()) }
        },
        Pair("deferred dates") {
            $0.dates = .deferred
            $1.dates = .deferred
        },
        Pair("seconds") {
            $0.dates = .secondsSince1970
            $1.dates = .secondsSince1970
        },
        Pair("milliseconds") {
            $0.dates = .millisecondsSince1970
            $1.dates = .millisecondsSince1970
        },
        Pair("text of dates") { encoder, _ in encoder.dates = .iso8601 },
        Pair("deferred data") {
            $0.data = .deferred
            $1.data = .deferred
        },
        Pair("base64") { encoder, _ in encoder.data = .base64 },
    ])
    func `each strategy of the encoder has one of the decoder`(_ pair: Pair) throws {
        struct Value: Codable, Equatable, Sendable {
            var createdAt = Date(timeIntervalSince1970: 1_500_000_000.5)
            var rawData = Data([1, 2])
            var firstName: String? = "Ada"
            var innerValue = [Everything.Inner()]
            var byName = ["keyOne": Everything.Inner(), "key_two": Everything.Inner(), "KeyThree": Everything.Inner()]
        }
        let document = try self.document(Value(), pair.encoder)
        #expect(try pair.decoder.decode(Value.self, from: document) == Value())
    }

    @Test(arguments: [Double.infinity, -.infinity, 1.5])
    func `numbers that are not finite go both ways where asked for`(_ number: Double) throws {
        var encoder = ParameterEncoder()
        encoder.floats = .strings(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        var decoder = ResponseDecoder()
        decoder.floats = .strings(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        let document = try self.document([number, .nan], encoder)
        let numbers = try decoder.decode([Double].self, from: document)
        #expect(numbers[0] == number)
        #expect(numbers[1].isNaN)
        #expect(throws: DecodingError.self) { try ResponseDecoder().decode([Double].self, from: document) }
    }

    @Test(arguments: [
        (ResponseDecoder.KeyStrategy.kebabCase, "first-name"), (.kebabCase, "-first--name-"),
        (.capitalized, "FirstName"),
        (.snakeCase, "first_name"), (.custom { _ in "firstName" }, "x"),
    ])
    func `keys are converted, those of dictionaries are not`(
        _ strategy: ResponseDecoder.KeyStrategy,
        _ key: String
    ) throws {
        var decoder = ResponseDecoder()
        decoder.keys = strategy
        let document = Data(#"{"\#(key)":"Ada"}"#.utf8)
        #expect(try decoder.decode(Everything.Inner.self, from: document) == Everything.Inner())
        #expect(try decoder.decode([String: String].self, from: document) == [key: "Ada"])
    }

    @Test(.bug(id: "F334")) func `keys that are represented by coding keys are converted as those of a type`() throws {
        enum Color: String, CodingKeyRepresentable, Codable { case darkRed, red }
        var decoder = ResponseDecoder()
        decoder.keys = .snakeCase
        for key in ["darkRed", "dark_red"] {
            let document = Data(#"{"\#(key)":1,"red":2}"#.utf8)
            #expect(try decoder.decode([Color: Int].self, from: document) == [.darkRed: 1, .red: 2])
        }
    }

    @Test(.bug(id: "F332"), arguments: [false, true])
    func `two Unicode forms of one name in an object are refused, and both kept at the top level`(
        _ isEscaped: Bool
    ) throws {
        struct Value: Decodable, Sendable { var data: JSONValue }
        let members = isEscaped ? #"{"\u00e9":1,"e\u0301":2}"# : "{\"\u{E9}\":1,\"e\u{301}\":2}"
        let document = #"{"list":[0],"data":\#(members)}"#
        let error = #expect(throws: DecodingError.self) {
            try ResponseDecoder().decode(Value.self, from: Data(document.utf8))
        }
        guard case .dataCorrupted(let context)? = error else { throw try #require(error) }
        #expect(context.codingPath.map(\.stringValue).first == "data")
        let serializer = DecodableResponseSerializer(Value.self)
        let refusal = #expect(throws: SerializationError.self) { try serializer.serialize(.stub(document)) }
        #expect(refusal?.code == .decodingFailed)
        #expect(refusal?.codingPath.first == "data" && refusal?.codingPath.count == 2)
        #expect(refusal?.reason.contains("data") == false)
        let whole = try DecodableResponseSerializer(JSONValue.self).serialize(.stub(document))
        #expect(whole["data"]?.object?.count == 2)
    }

    /// A type with members, dictionaries of each kind, lists, and a `JSONValue`.
    private struct Ledger: Decodable, Sendable {
        var names: [String: [Int]]?
        var numbers: [Int: Int]?
        var kinds: [Kind: Int]?
        var document: JSONValue?

        struct Kind: RawRepresentable, Hashable, CodingKeyRepresentable, Decodable, Sendable {
            var rawValue: String
        }
    }

    @Test(
        .bug(id: "F520"),
        arguments: [
            (#"{"names":{"SECRET":[1,"a"]}}"#, "names.*[1]"), (#"{"names":{"4111":1}}"#, "names.*"),
            (#"{"names":{"Index 4111":1}}"#, "names.*"), (#"{"numbers":{"SECRET":1}}"#, "numbers.*"),
            (#"{"numbers":{"4111":"a"}}"#, "numbers.*"), (#"{"kinds":{"SECRET":"a"}}"#, "kinds.*"),
            (#"{"document":{"SECRET":[0,1e999]}}"#, "document.*[1]"),
        ]
    )
    func `the description of an error has no key of a dictionary`(_ member: String, _ place: String) {
        let decoders: [any DataDecoder] = [ResponseDecoder(), JSONDecoder()]
        for decoder in decoders {
            let serializer = DecodableResponseSerializer([Ledger].self, decoder: decoder)
            let error = #expect(throws: SerializationError.self) { try serializer.serialize(.stub("[\(member)]")) }
            #expect(error?.code == .decodingFailed)
            #expect(error?.reason.hasSuffix(" at [0].\(place)") == true, "\(error?.reason ?? "")")
            let texts = [error?.description, error?.reason, error?.errorDescription]
            for text in texts { #expect(text?.contains("SECRET") == false && text?.contains("4111") == false) }
            #expect(error?.codingPath.count == place.split { ".[".contains($0) }.count + 1)
        }
    }

    private static let noDate =
        "expected a date of ISO 8601 with a time and an offset (see ResponseDecoder.dates) at date"

    @Test(
        .bug(id: "F643"),
        arguments: [
            (#"{"count":"1"}"#, "expected Int, found a string at count"),
            (#"{"count":true}"#, "expected Int, found a Boolean at count"),
            (#"{"names":3}"#, "expected an array, found a number at names"),
            ("[]", "expected an object, found an array at the top level"),
            (#"{"names":["a",{}]}"#, "expected String, found an object at names[1]"),
            (#"{"names":[null]}"#, "String is missing or null at names[0]"),
            (#"{"date":"2024-01-01"}"#, Self.noDate),
            (#"{"date":1700000000}"#, Self.noDate),
            (#"{"date":[]}"#, Self.noDate),
            (#"{"dates":[null]}"#, "Date is missing or null at dates[0]"),
        ]
    )
    func `the description of an error has the kind of value that was found, and its place`(
        _ document: String,
        _ problem: String
    ) {
        struct Sample: Decodable, Sendable {
            var count: Int?
            var names: [String]?
            var date: Date?
            var dates: [Date]?
        }
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(Sample.self).serialize(.stub(document))
        }
        #expect(error?.reason == "the body does not fit the type: \(problem)")
        #expect(error?.code == .decodingFailed)
    }

    private struct Refusal: Error {}

    private struct Refusing: Decodable, Sendable {
        init(from decoder: any Decoder) throws { throw Refusal() }
    }

    @Test(.bug(id: "F643")) func `an error that a type throws is named`() {
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(Refusing.self).serialize(.stub("{}"))
        }
        #expect(error?.reason == "the body could not be decoded: an error of type Refusal was thrown")
        #expect(error?.underlying is Refusal)
    }

    @Test(.bug(id: "F229")) func `the names in a nested JSONValue are data and stay as they are, sorted`() throws {
        struct Value: Codable, Sendable { var metaData: JSONValue }
        var decoder = ResponseDecoder()
        decoder.keys = .snakeCase
        let members = #"{"user_name":1,"userName":2,"other_key":[{"inner_key":null,"a_b":{}}]}"#
        let value = try decoder.decode(Value.self, from: Data(#"{"meta_data":\#(members)}"#.utf8))
        #expect(try value.metaData == JSONValue(parsing: members))
        #expect(value.metaData.object?.keys == ["other_key", "userName", "user_name"])
    }

    @Test(.bug(id: "F229"), .timeLimit(.minutes(1)))
    func `an error deep inside a nested JSONValue is found once, with its path`() {
        var decoder = ResponseDecoder()
        decoder.keys = .snakeCase
        // No Double holds the number.
        var text = "1e999"
        for _ in 0..<60 { text = #"{"a_b":\#(text)}"# }
        let serializer = DecodableResponseSerializer([String: JSONValue].self, decoder: decoder)
        let error = #expect(throws: SerializationError.self) { try serializer.serialize(.stub(text)) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.codingPath == Array(repeating: "a_b", count: 60))
    }

    @Test(.bug(id: "F432"), arguments: ["1e400", "-1e400", "1" + String(repeating: "0", count: 400)])
    func `a nested JSON number beyond Double is named as such`(_ number: String) throws {
        struct Value: Decodable, Sendable { var n: JSONValue }
        let document = #"{"n":[0,\#(number)]}"#
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(Value.self).serialize(.stub(document))
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.codingPath == ["n", "1"])
        #expect(error?.reason == "the body does not fit the type: a number that no finite Double holds at n[1]")
        let plain = #expect(throws: DecodingError.self) {
            try ResponseDecoder().decode(Value.self, from: Data(document.utf8))
        }
        guard case .dataCorrupted(let context)? = plain else { throw try #require(plain) }
        #expect(context.debugDescription == "a number that no finite Double holds")
        let whole = try DecodableResponseSerializer(JSONValue.self).serialize(.stub(document))
        #expect(whole["n"]?[1]?.description == number)
    }

    @Test(.bug(id: "F432")) func `a nested JSON number that is none is a malformed document`() {
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer([String: JSONValue].self).serialize(.stub(#"{"n":01}"#))
        }
        #expect(error?.code == .malformedBody)
        #expect((error?.underlying as? JSONSyntaxError)?.column == 7)
    }

    @Test(.bug(id: "F432")) func `what is no number in a property list is not called one`() {
        let list = "<plist><dict><key>a</key><date>2001-01-01T00:00:00Z</date></dict></plist>"
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer([String: JSONValue].self, decoder: PropertyListDecoder(), validation: .none)
                .serialize(.stub(list))
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.codingPath == ["a"])
        #expect(error?.reason.contains("number") == false)
    }

    @Test func `a JSONValue is decoded from a property list, too`() throws {
        let list = "<plist><dict><key>b_c</key><array><integer>7</integer></array><key>a</key><dict/></dict></plist>"
        let value = try PropertyListDecoder().decode(JSONValue.self, from: Data(list.utf8))
        #expect(value == ["a": [:], "b_c": [7]])
    }

    @Test(arguments: [#""2001-01-01""#, "0", "null", "[]", #""2001-02-30T00:00:00Z""#])
    func `a date that is none says where it is`(_ text: String) {
        let response = Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: Data(#"{"a":[\#(text)]}"#.utf8)
        )
        let error = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer([String: [Date]].self).serialize(response)
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.codingPath == ["a", "0"])
    }

    @Test func `copies change by themselves`() throws {
        var decoder = ResponseDecoder()
        let key = try #require(CodingUserInfoKey(rawValue: "k"))
        decoder.userInfo[key] = 1
        let copy = decoder
        decoder.userInfo[key] = 2
        decoder.dates = .secondsSince1970
        #expect(copy.userInfo[key] as? Int == 1)
        #expect(decoder.userInfo[key] as? Int == 2)
        #expect(try decoder.decode(Date.self, from: Data("0".utf8)) == Date(timeIntervalSince1970: 0))
        #expect(throws: DecodingError.self) { try copy.decode(Date.self, from: Data("0".utf8)) }
    }

    @Test func `a serializer takes the decoder of a session unless it has its own, inside others too`() throws {
        var decoder = ResponseDecoder()
        decoder.keys = .snakeCase
        let response = Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: Data(#"{"first_name":"Ada"}"#.utf8)
        )
        let plain = DecodableResponseSerializer(Everything.Inner.self)
        let own = DecodableResponseSerializer(Everything.Inner.self, decoder: ResponseDecoder())
        #expect(try plain.decoding(with: decoder).serialize(response).firstName == "Ada")
        #expect(throws: SerializationError.self) { try own.decoding(with: decoder).serialize(response) }
        #expect(try plain.map(\.firstName).decoding(with: decoder).serialize(response) == "Ada")
        #expect(try plain.preprocessing(.scriptPrefix).decoding(with: decoder).serialize(response).firstName == "Ada")
        let compound = CompoundResponseSerializer<String>([plain.map(\.firstName), StringResponseSerializer()])
        #expect(try compound.decoding(with: decoder).serialize(response) == "Ada")
    }

    @Test func `a serializer knows the types it reads, inside others too`() {
        let json: Set<String> = ["application/json", "text/json", "text/javascript", "*+json"]
        #expect(JSONResponseSerializer().acceptableContentTypes == json)
        #expect(DecodableResponseSerializer(Int.self).acceptableContentTypes == json)
        #expect(JSONResponseSerializer().map { _ in 1 }.acceptableContentTypes == json)
        #expect(JSONResponseSerializer().preprocessing(.scriptPrefix).acceptableContentTypes == json)
        #expect(HTTPResponseSerializer().acceptableContentTypes == nil)
        #expect(WholeResponseSerializer().acceptableContentTypes == nil)
        #expect(StringResponseSerializer().acceptableContentTypes == nil)
        #expect(PropertyListResponseSerializer().acceptableContentTypes == ["application/x-plist"])
        #expect(XMLDocumentResponseSerializer().acceptableContentTypes == ["application/xml", "text/xml", "*+xml"])
        let lists = [JSONResponseSerializer().map { _ in 1 }]
        #expect(CompoundResponseSerializer<Int>(lists).acceptableContentTypes == json)
        #expect(CompoundResponseSerializer<Int>([]).acceptableContentTypes == nil)
        let any = CompoundResponseSerializer<Int>([lists[0], StringResponseSerializer().map { _ in 2 }])
        #expect(any.acceptableContentTypes == nil)
    }

    @Test func `the whole response passes through once its status is accepted`() throws {
        let response = Response(status: .ok, headers: [.eTag: "x"], body: Data([1]))
        let same = try WholeResponseSerializer.response.serialize(response)
        #expect(same.headers == response.headers)
        #expect(same.body == response.body)
        let refused = Response(status: .notFound)
        #expect(throws: SerializationError(.unacceptableStatus, reason: "")) {
            try WholeResponseSerializer().serialize(refused)
        }
    }
}
