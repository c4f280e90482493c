// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Testing

@Suite struct JSONValueTests {
    @Test func `accessors answer only for their own kind`() {
        let value: JSONValue = ["a": [1, "x", true, nil, 2.5]]
        #expect(value["a"]?[0]?.int == 1)
        #expect(value["a"]?[1]?.string == "x")
        #expect(value["a"]?[2]?.bool == true)
        #expect(value["a"]?[3]?.isNull == true)
        #expect(value["a"]?[4]?.double == 2.5)
        #expect(value["a"]?[4]?.int == nil)
        #expect(value["a"]?[5] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["b"] == nil)
        #expect(value[0] == nil)
        #expect(value["a"]?["b"] == nil)
        #expect(value.string == nil && value.bool == nil && value.array == nil && value.number == nil && !value.isNull)
    }

    @Test func `members can be set and removed`() {
        var value: JSONValue = ["a": 1, "b": 2]
        value["a"] = "x"
        value["c"] = [1]
        value["b"] = nil
        #expect(value.description == #"{"a":"x","c":[1]}"#)
        var fresh = JSONValue.null
        fresh["a"] = 1
        #expect(fresh == ["a": 1])
        var array: JSONValue = [1]
        array["a"] = 1
        #expect(array == [1])
    }

    @Test func `large objects stay consistent while members come and go`() {
        var object = JSONObject()
        for number in 0..<40 { object["k\(number)"] = JSONValue(number) }
        for number in stride(from: 0, to: 40, by: 2) { object["k\(number)"] = nil }
        object["k1"] = "changed"
        #expect(object.count == 20)
        #expect(object.keys.first == "k1")
        #expect(object["k1"] == "changed")
        #expect(object["k2"] == nil)
        #expect(object["k39"] == 39)
        for number in stride(from: 5, to: 40, by: 2) { object["k\(number)"] = nil }
        #expect(object.keys == ["k1", "k3"])
        #expect(object["k3"] == 3)
    }

    @Test func `objects are equal whatever the order of their members`() {
        let left: JSONValue = ["a": 1, "b": [2]]
        let right: JSONValue = ["b": [2], "a": 1]
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left != ["a": 1, "b": [3]])
        #expect(left != ["a": 1])
    }

    @Test func `interpolated strings and literals of every kind`() {
        let name = "x"
        let value: JSONValue = ["s": "\(name)y", "i": -1, "f": 1.5, "b": false, "n": nil]
        #expect(value.description == #"{"s":"xy","i":-1,"f":1.5,"b":false,"n":null}"#)
    }
}
