// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Testing

@Suite struct ConvertingSerializerTests {
    struct Odd: Error {}

    @Test func `map turns the value into another`() throws {
        let serializer = JSONResponseSerializer().map { $0?["count"]?.int ?? 0 }
        #expect(try serializer.serialize(.stub(#"{"count":3}"#)) == 3)
    }

    @Test(.bug(id: "F769")) func `an error in map is a serialization error`() {
        let foreign = #expect(throws: SerializationError.self) {
            try StringResponseSerializer().map { _ -> Int in throw Odd() }.serialize(.stub("x"))
        }
        #expect(foreign?.code == .decodingFailed)
        #expect(foreign?.underlying is Odd)
        #expect(foreign?.reason == "the conversion of the serializer's output failed with an error of type Odd")
        #expect(foreign?.response != nil)
        let own = #expect(throws: SerializationError.self) {
            try StringResponseSerializer().map { _ -> Int in throw SerializationError(.emptyBody, reason: "x") }
                .serialize(.stub("x"))
        }
        #expect(own?.code == .emptyBody)
        #expect(own?.response != nil)
    }

    @Test(arguments: [")]}',\n{\"a\":1}", "{\"a\":1}"]) func `removes the prefix against scripts where it is`(
        _ body: String
    ) throws {
        #expect(try JSONResponseSerializer().preprocessing(.scriptPrefix).serialize(.stub(body)) == ["a": 1])
    }

    @Test func `a prefix of one's own`() throws {
        let serializer = JSONResponseSerializer().preprocessing(PrefixPreprocessor("while(1);"))
        #expect(try serializer.serialize(.stub("while(1);[1]")) == [1])
        #expect(try serializer.serialize(.stub("while(1);")) == nil)
    }
}
