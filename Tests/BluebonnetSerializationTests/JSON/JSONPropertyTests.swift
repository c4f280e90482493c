// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Testing

/// What holds for every document, tried on random ones from generators with fixed seeds.
@Suite struct JSONPropertyTests {
    struct Generator: RandomNumberGenerator {
        private var state: UInt64

        init(seed: UInt64) { self.state = seed }

        mutating func next() -> UInt64 {
            self.state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = self.state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    static func tree(depth: Int, using generator: inout Generator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return JSONValue(Int64.random(in: .min ... .max, using: &generator))
        case 3: return JSONValue(Int.random(in: -1000...1000, using: &generator))
        case 4: return JSONValue(Double(bitPattern: generator.next())) ?? .null
        case 5: return JSONValue(Double(Int.random(in: -99_999...99_999, using: &generator)) / 100) ?? .null
        case 6: return .string(Self.text(using: &generator))
        case 7:
            let count = Int.random(in: 0..<6, using: &generator)
            return .array((0..<count).map { _ in Self.tree(depth: depth - 1, using: &generator) })
        default:
            let count = Int.random(in: 0..<24, using: &generator)
            var object = JSONObject()
            for _ in 0..<count { object[Self.text(using: &generator)] = Self.tree(depth: depth - 2, using: &generator) }
            return .object(object)
        }
    }

    static func text(using generator: inout Generator) -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0...0x1F, 0x20...0x7E, 0x80...0x7FF, 0x4E00...0x9FFF, 0x1F300...0x1F6FF, 0x22...0x22,
            0x5C...0x5C,
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<30, using: &generator) {
            let range = ranges[Int.random(in: 0..<ranges.count, using: &generator)]
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) { text.append(scalar) }
        }
        return String(text)
    }

    @Test(arguments: 0..<40) func `what is written is read as the same value`(_ seed: UInt64) throws {
        var generator = Generator(seed: seed)
        for _ in 0..<25 {
            let value = Self.tree(depth: 6, using: &generator)
            let data = value.serialized()
            let again = try JSONValue(parsing: data)
            #expect(again == value)
            #expect(again.hashValue == value.hashValue)
            #expect(again.serialized() == data)
            #expect(try JSONValue(parsing: value.serialized(isPretty: true, sortsKeys: true)) == value)
        }
    }

    @Test(arguments: 0..<10) func `what is written is read by Foundation, too`(_ seed: UInt64) throws {
        var generator = Generator(seed: seed &+ 1_000)
        for _ in 0..<25 {
            let value = Self.tree(depth: 5, using: &generator)
            let decoded = try JSONDecoder().decode(JSONValue.self, from: JSONValue.array([value]).serialized())
            #expect(decoded[0].map { Self.isClose($0, value) } == true)
        }
    }

    /// Whether two values are the same up to what a decoder of Doubles, and one of equivalent names, can keep.
    static func isClose(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left.double == right.double
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { Self.isClose($0, $1) }
        case (.object(let left), .object(let right)):
            left.count <= right.count
                && left.allSatisfy { member in right[member.key].map { Self.isClose(member.value, $0) } ?? true }
        default: left == right
        }
    }

    @Test(arguments: 0..<20) func `a document with changed bytes is read or refused, never worse`(_ seed: UInt64) {
        var generator = Generator(seed: seed &+ 2_000)
        for _ in 0..<50 {
            var data = Self.tree(depth: 5, using: &generator).serialized()
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                data[Int.random(in: 0..<data.count, using: &generator)] = UInt8.random(
                    in: .min ... .max,
                    using: &generator
                )
            }
            guard let value = try? JSONValue(parsing: data) else { continue }
            let again = try? JSONValue(parsing: value.serialized())
            #expect(again == value)
        }
    }
}
