// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct SetEncodingTests {
    /// An article that is encoded as its price.
    private struct Article: Hashable, Encodable {
        var id: Int
        var price: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self.price)
        }
    }

    @Test(.bug(id: "F430")) func `members of a set that are encoded equally are all kept`() throws {
        let prices = Set([(1, 7), (2, 10), (3, 7), (4, 9)].map { Article(id: $0, price: $1) })
        #expect(try ParameterValue(encoding: prices) == [10, 7, 7, 9])
        #expect(try ParameterValue(encoding: ["prices": prices]) == ["prices": [10, 7, 7, 9]])
        #expect(try ParameterValue(encoding: Set([Article(id: 1, price: 5)])) == .set([5]))
        var encoder = ParameterEncoder()
        encoder.dates = .custom { _ in "soon" }
        #expect(try encoder.encode(Set([Date.distantPast, .distantFuture])) == ["soon", "soon"])
    }

    @Test(.bug(id: "F430")) func `a member of a set that has no text is an error with the path of the set`() {
        let date = Date(timeIntervalSince1970: 1e18)
        struct Wrapper: Hashable, Encodable {
            var id: Int
            var date: Date
            func encode(to encoder: any Encoder) throws { try [self.date].encode(to: encoder) }
        }
        let set = Set([1, 2].map { Wrapper(id: $0, date: date) })
        let error = #expect(throws: SerializationError.self) { try ParameterValue(encoding: ["a": [set]]) }
        #expect(error?.code == .unencodableValue)
        #expect(error?.codingPath == ["a", "0"])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let members: [ParameterValue]
        let json: String
        var testDescription: String { self.json }
    }

    @Test(
        .bug(id: "F431"),
        arguments: [
            Case(members: [["a,b"], ["a", "b"]], json: #"[["a","b"],["a,b"]]"#),
            Case(members: [["a": "b,c=d"], ["a": "b", "c": "d"]], json: #"[{"a":"b","c":"d"},{"a":"b,c=d"}]"#),
            Case(members: [[[]], ["()"]], json: #"[[[]],["()"]]"#),
            Case(members: ["1", 1, true, 1.0], json: #"[1,1,"1",true]"#),
            Case(members: ["", nil], json: #"[null,""]"#),
            Case(members: [.set(["x", "y"]), ["x", "y"], ["x,y"]], json: #"[["x","y"],["x","y"],["x,y"]]"#),
            Case(members: [.data(Data("data".utf8)), "ZGF0YQ=="], json: #"["ZGF0YQ==","ZGF0YQ=="]"#),
        ]
    )
    func `sets whose members have the same text are written in one order`(_ sample: Case) throws {
        var documents = Set<String>()
        var lists = Set<Data>()
        // The order of a set depends on its capacity and on the order of the insertions.
        for exponent in 1..<12 {
            for members in [sample.members, sample.members.reversed()] {
                var set = Set<ParameterValue>(minimumCapacity: 1 << exponent)
                for member in members { set.insert(member) }
                documents.insert(String(decoding: try JSONValue(.set(set)).serialized(), as: UTF8.self))
                guard !members.contains(.null) else { continue }
                let list = try PropertyListRequestSerializer(format: .binary).body(from: ["s": .set(set)]).data
                lists.insert(try #require(list))
            }
        }
        #expect(documents == [sample.json])
        #expect(lists.count <= 1)
    }

    private enum Order: String, CaseIterable, Encodable { case name, age, size, date, price }

    /// A key that is no text.
    private struct Place: Hashable, Encodable {
        var row: Int
        var column: Int
    }

    @Test(.bug(id: "F446")) func `a dictionary with keys of any type gives one value, however it was made`() throws {
        var values = Set<ParameterValue>()
        for exponent in 1..<12 {
            var orders = [Order: Date](minimumCapacity: 1 << exponent)
            var places = [Place: [Order: Int]](minimumCapacity: 1 << exponent)
            for (index, order) in Order.allCases.enumerated() {
                // A date that no text can hold.
                orders[order] = Date(timeIntervalSince1970: 1e18)
                places[Place(row: index % 2, column: index)] = [.size: 1, .age: 2, .name: 3, .date: 4]
            }
            values.insert(try ParameterValue(encoding: ["orders": orders]))
            values.insert(try ParameterValue(encoding: ["places": places]))
        }
        #expect(values.count == 2)
        let sizes = try ParameterValue(encoding: [Order.size: 1, .age: 2, .date: 3])
        #expect(sizes == ["age", 2, "date", 3, "size", 1])
    }
}
