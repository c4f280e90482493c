// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import Testing

@Suite struct BinaryPropertyListTests {
    struct Hostile: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var data: Data
        var code: SerializationError.Code = .malformedBody

        init(
            _ description: String,
            code: SerializationError.Code = .malformedBody,
            _ change: (inout BinaryPropertyListBuilder) -> Void
        ) {
            self.testDescription = description
            self.code = code
            var builder = BinaryPropertyListBuilder()
            change(&builder)
            self.data = builder.build()
        }
    }

    static let hostile: [Hostile] = [
        Hostile("an array that holds itself") { $0.objects = [[0xA1, 0]] },
        Hostile("two arrays that hold each other") { $0.objects = [[0xA1, 1], [0xA1, 0]] },
        Hostile("a dictionary that is its own value") { $0.objects = [[0xD1, 1, 0], [0x51, 0x61]] },
        Hostile("a dictionary that is its own key") { $0.objects = [[0xD1, 0, 1], [0x09]] },
        Hostile("a key that is not text") { $0.objects = [[0xD1, 1, 1], [0x10, 5]] },
        Hostile("a reference to nothing") { $0.objects = [[0xA1, 9]] },
        Hostile("an offset into the header") {
            $0.objects = [[0x09]]
            $0.claimedOffsets = [0: 3]
        },
        Hostile("an offset into the table") {
            $0.objects = [[0x09]]
            $0.claimedOffsets = [0: 9]
        },
        Hostile("an offset beyond the end") {
            $0.objects = [[0x09]]
            $0.claimedOffsets = [0: 0xFFFF]
        },
        Hostile("a root that is not there") {
            $0.objects = [[0x09]]
            $0.root = 1
        },
        Hostile("more objects than fit") {
            $0.objects = [[0x09]]
            $0.claimedCount = 1 << 40
        },
        Hostile("as many objects as can be named") {
            $0.objects = [[0x09]]
            $0.claimedCount = .max
        },
        Hostile("no objects") {
            $0.objects = [[0x09]]
            $0.claimedCount = 0
        },
        Hostile("a table beyond the end") {
            $0.objects = [[0x09]]
            $0.claimedTable = .max
        },
        Hostile("a table in the header") {
            $0.objects = [[0x09]]
            $0.claimedTable = 2
        },
        Hostile("references of no width") {
            $0.objects = [[0x09]]
            $0.referenceWidth = 0
        },
        Hostile("references that are too wide") {
            $0.objects = [[0x09]]
            $0.referenceWidth = 9
        },
        Hostile("offsets of no width") {
            $0.objects = [[0x09]]
            $0.offsetWidth = 0
        },
        Hostile("an array of more than there is") {
            $0.objects = [[0xAF, 0x13] + BinaryPropertyListBuilder.bigEndian(1 << 62)]
        },
        Hostile("a text of more than there is") { $0.objects = [[0x5F, 0x12, 0x7F, 0xFF, 0xFF, 0xFF]] },
        Hostile("a wide text of more than there is") {
            $0.objects = [[0x6F, 0x13] + BinaryPropertyListBuilder.bigEndian(UInt64(Int64.max))]
        },
        Hostile("a negative count") { $0.objects = [[0x4F, 0x13] + BinaryPropertyListBuilder.bigEndian(.max)] },
        Hostile("a count that is a text") { $0.objects = [[0x4F, 0x51, 0x61]] },
        Hostile("a count of sixteen bytes") { $0.objects = [[0x4F, 0x14] + Array(repeating: 0, count: 16)] },
        Hostile("an integer of 2 to the power of 15 bytes") { $0.objects = [[0x1F]] },
        Hostile("an integer of more than 64 bits") { $0.objects = [[0x14] + Array(repeating: 1, count: 16)] },
        Hostile("a number of one byte") { $0.objects = [[0x20, 0]] },
        Hostile("a date of four bytes") { $0.objects = [[0x32, 0, 0, 0, 0]] },
        Hostile("a date that is not a number") { $0.objects = [[0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]] },
        Hostile("half a surrogate pair") { $0.objects = [[0x61, 0xD8, 0x00]] },
        Hostile("narrow text that is not ASCII") { $0.objects = [[0x51, 0xC3]] },
        Hostile("a null") { $0.objects = [[0x00]] },
        Hostile("a kind that is reserved") { $0.objects = [[0xF0]] },
        Hostile("an identifier of sixteen bytes") { $0.objects = [[0x8F] + Array(repeating: 0, count: 16)] },
        Hostile("more levels than are allowed", code: .limitExceeded) {
            $0.referenceWidth = 2
            for level in 0..<600 { $0.objects.append([0xA1, UInt8((level + 1) >> 8), UInt8((level + 1) & 0xFF)]) }
            $0.objects.append([0x09])
        },
    ]

    @Test(arguments: Self.hostile) func `a hostile list is a typed error`(_ example: Hostile) {
        let error = #expect(throws: SerializationError.self) { try PropertyListValue(parsing: example.data) }
        #expect(error?.code == example.code)
    }

    @Test(arguments: [23, 40, 100, 250]) func `shared references are counted, not followed again and again`(
        _ levels: Int
    ) {
        let data = BinaryPropertyListBuilder.doubling(levels: levels)
        for limits in [ParsingLimits(), ParsingLimits(elementCount: .max)]
        where levels < 62 || limits.elementCount < .max {
            let error: SerializationError?
            do throws(SerializationError) {
                _ = try PropertyListParser(limits: limits).parse(data)
                error = nil
            } catch let thrown {
                error = thrown
            }
            #expect((error?.code == .limitExceeded) == (limits.elementCount < .max))
        }
    }

    @Test func `the decoder of another library never sees such a list`() {
        let serializer = DecodableResponseSerializer(
            [Bool].self,
            decoder: PropertyListDecoder(),
            validation: ResponseValidation(contentTypes: nil)
        )
        let response = Response.stub(BinaryPropertyListBuilder.doubling(levels: 40), type: "application/x-plist")
        let error = #expect(throws: SerializationError.self) { try serializer.serialize(response) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.response != nil)
    }

    @Test func `a large text that is shared counts as often as it is referred to`() {
        var builder = BinaryPropertyListBuilder()
        let length = 60_000
        builder.offsetWidth = 4
        builder.objects = [
            [0xAF, 0x11, 0x27, 0x10] + Array(repeating: 1, count: 10_000),
            [0x5F, 0x11, UInt8(length >> 8), UInt8(length & 0xFF)] + Array(repeating: 0x61, count: length),
        ]
        let error = #expect(throws: SerializationError.self) { try PropertyListValue(parsing: builder.build()) }
        #expect(error?.code == .limitExceeded)
    }

    @Test func `sharing within the limits is fine`() throws {
        let value = try PropertyListValue(parsing: BinaryPropertyListBuilder.doubling(levels: 10))
        #expect(value[0]?[1]?[0]?[0]?[0]?[0]?[0]?[0]?[0]?[0] == .bool(true))
    }

    @Test func `a list cut or changed anywhere never crashes`() throws {
        let source: [String: Any] = [
            "a": [1, 2.5, "日本", Data([1, 2]), Date(timeIntervalSince1970: 0), true] as [Any], "b": ["c": "d"],
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: source, format: .binary, options: 0)
        for count in data.indices { _ = try? PropertyListValue(parsing: Data(data[..<count])) }
        for position in data.indices {
            for bit in 0..<8 {
                var changed = data
                changed[position] ^= 1 << UInt8(bit)
                _ = try? PropertyListValue(parsing: changed)
            }
        }
    }

    @Test(.bug(id: "F271")) func `keys that differ in their Unicode form only are refused in a binary list`() {
        let forms: [[UInt8]] = [[0x61, 0, 0xE9], [0x62, 0, 0x65, 3, 1]]
        for keys in [forms, forms.reversed()] {
            var builder = BinaryPropertyListBuilder()
            builder.objects = [[0xD2, 1, 2, 3, 3]] + keys + [[0x09]]
            let error = #expect(throws: SerializationError.self) { try PropertyListValue(parsing: builder.build()) }
            #expect(error?.code == .malformedBody)
            #expect(error?.reason.contains("different Unicode forms") == true)
        }
    }

    @Test func `the last value of a key that is there twice is kept`() throws {
        var builder = BinaryPropertyListBuilder()
        builder.objects = [[0xD2, 1, 2, 3, 4], [0x51, 0x61], [0x51, 0x61], [0x08], [0x09]]
        #expect(try PropertyListValue(parsing: builder.build()) == .dictionary(["a": .bool(true)]))
    }

    @Test func `reads integers of every width`() throws {
        func read(_ object: [UInt8]) throws -> PropertyListValue {
            var builder = BinaryPropertyListBuilder()
            builder.objects = [object]
            return try PropertyListValue(parsing: builder.build())
        }
        #expect(try read([0x10, 0xFF]) == .integer(255))
        #expect(try read([0x11, 0xFF, 0xFF]) == .integer(65_535))
        #expect(try read([0x12, 0xFF, 0xFF, 0xFF, 0xFF]) == .integer(4_294_967_295))
        #expect(try read([0x13] + Array(repeating: 0xFF, count: 8)) == .integer(-1))
        #expect(try read([0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8)) == .unsigned(.max))
        #expect(try read([0x14] + Array(repeating: 0xFF, count: 16)) == .integer(-1))
        #expect(try read([0x22, 0x3F, 0xC0, 0, 0]) == .real(1.5))
        #expect(try read([0x80, 7]) == .uid(7))
        #expect(try read([0x72, 0xC3, 0xA9]) == .string("é"))
        #expect(try read([0x62, 0xFE, 0xFF, 0x00, 0x61]) == .string("\u{FEFF}a"))
    }
}
