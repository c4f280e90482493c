// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct WideIntegerTests {
    struct Value: Codable, Equatable, Sendable {
        var signed: [Int128]
        var unsigned: UInt128
        var alone: Alone

        struct Alone: Codable, Equatable, Sendable {
            var number: UInt128

            init(_ number: UInt128) { self.number = number }

            init(from decoder: any Decoder) throws {
                self.number = try decoder.singleValueContainer().decode(UInt128.self)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(self.number)
            }
        }
    }

    private static let wide = Value(
        signed: [.min, .max, -1, Int128(UInt64.max) + 1],
        unsigned: .max,
        alone: .init(UInt128(UInt64.max) + 1)
    )

    @Test(.bug(id: "F429")) func `integers of 128 bits keep every digit, keyed, in arrays and alone`() throws {
        let parameters = try ParameterValue(encoding: Self.wide)
        #expect(parameters["signed"]?[0] == .number(JSONNumber(Int128.min)))
        #expect(parameters["unsigned"] == .number(JSONNumber(UInt128.max)))
        #expect(parameters["alone"] == .number(JSONNumber(UInt128(UInt64.max) + 1)))
        #expect(try ParameterValue(encoding: Int128.max) == .number(JSONNumber(Int128.max)))
        let document = try #require(try JSONRequestSerializer().body(from: parameters).data)
        #expect(
            String(decoding: document, as: UTF8.self)
                == #"{"alone":18446744073709551616,"signed":[-170141183460469231731687303715884105728,"#
                + #"170141183460469231731687303715884105727,-1,18446744073709551616],"#
                + #""unsigned":340282366920938463463374607431768211455}"#
        )
        #expect(try ResponseDecoder().decode(Value.self, from: document) == Self.wide)
        #expect(
            try QueryString.encode(["n": parameters["unsigned"] ?? nil])
                == "n=340282366920938463463374607431768211455"
        )
    }

    @Test(.bug(id: "F429")) func `integers of 128 bits that fit become integers of 64 bits`() throws {
        #expect(try ParameterValue(encoding: [Int128(-5), Int128(Int64.max)]) == [-5, .int(.max)])
        #expect(try ParameterValue(encoding: ["n": UInt128(UInt64.max)]) == ["n": .unsigned(.max)])
        #expect(try ParameterValue(encoding: Value.Alone(7)) == 7)
    }

    @Test(.bug(id: "F429"), arguments: [PropertyListRequestSerializer.Format.xml, .binary])
    func `a property list holds as text what it has no integer for`(
        _ format: PropertyListRequestSerializer.Format
    ) throws {
        let parameters = try ParameterValue(encoding: ["small": UInt128(7), "large": UInt128.max])
        let list = try #require(try PropertyListRequestSerializer(format: format).body(from: parameters).data)
        #expect(try PropertyListParser().parse(list)["small"] == .integer(7))
        #expect(try PropertyListParser().parse(list)["large"] == .string("340282366920938463463374607431768211455"))
    }
}
