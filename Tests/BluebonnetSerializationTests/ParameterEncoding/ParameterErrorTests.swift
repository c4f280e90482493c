// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

/// Values that cannot be encoded as parameters.
@Suite struct ParameterErrorTests {
    @Test func `errors carry the path`() throws {
        struct Refusal: Error {}
        var encoder = ParameterEncoder()
        encoder.dates = .custom { _ in throw Refusal() }
        let error = #expect(throws: SerializationError.self) {
            try encoder.encode(["a": [ParameterEncoderTests.Wrapper(value: Date())]])
        }
        #expect(error?.code == .unencodableValue)
        #expect(error?.codingPath == ["a", "0", "value"])
        #expect(error?.underlying is Refusal)
        encoder.dates = .iso8601
        let range = #expect(throws: SerializationError.self) { try encoder.encode([Date(timeIntervalSince1970: 1e15)]) }
        #expect(range?.codingPath == ["0"])
    }

    @Test func `a type that refuses is named with its path`() throws {
        struct Stubborn: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(1, .init(codingPath: encoder.codingPath, debugDescription: "no"))
            }
        }
        struct Foreign: Encodable {
            struct Failure: Error {}
            func encode(to encoder: any Encoder) throws { throw Failure() }
        }
        let error = #expect(throws: SerializationError.self) { try ParameterValue(encoding: ["k": [Stubborn()]]) }
        #expect(error?.code == .unencodableValue)
        #expect(error?.codingPath == ["k", "0"])
        #expect(throws: SerializationError(.unencodableValue, reason: "")) {
            try ParameterValue(encoding: ["k": Foreign()])
        }
    }

    @Test func `containers of two kinds are an error`() {
        struct Confused: Encodable {
            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                try list.encode(1)
                var dictionary = encoder.container(keyedBy: SuperName.self)
                try dictionary.encode(1, forKey: .name)
            }
            enum SuperName: CodingKey { case name }
        }
        #expect(throws: SerializationError(.unencodableValue, reason: "")) { try ParameterValue(encoding: Confused()) }
    }

    @Test func `endless values are an error, not a crash`() {
        struct Endless: Encodable {
            enum Keys: CodingKey { case next }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(Endless(), forKey: .next)
            }
        }
        struct Mirror: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Mirror())
            }
        }
        for limit in [128, Int.max] {
            var encoder = ParameterEncoder()
            encoder.maximumDepth = limit
            #expect(throws: SerializationError(.limitExceeded, reason: "")) { try encoder.encode(Endless()) }
            #expect(throws: SerializationError(.limitExceeded, reason: "")) { try encoder.encode(Mirror()) }
        }
    }
}
