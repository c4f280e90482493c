// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import NIOCore
import Testing

@testable import Bluebonnet

struct JSONStreamTests {
    struct Row: Codable, Equatable, Sendable {
        var userID: Int

        init(_ userID: Int) { self.userID = userID }

        enum CodingKeys: String, CodingKey {
            case userID = "user_id"
        }
    }

    @Test func `lines become values, blank ones are skipped`() async throws {
        let text = "{\"user_id\":1}\r\n\n  \t\r\n {\"user_id\":2} \n{\"user_id\":3}"
        for cut in Cut.several {
            let rows = try await StreamedResponse.streaming(text, cut: cut).jsonLines(as: Row.self).all()
            #expect(rows == [Row(1), Row(2), Row(3)], "\(cut)")
        }
    }

    @Test(arguments: [
        (#"{"user_id":"x"}"#, SerializationError.Code.decodingFailed),
        (#"{"user_id":1"#, .malformedBody),
        (#"{"user_id":1}{"user_id":2}"#, .malformedBody),
        ("null", .decodingFailed),
        (String(repeating: "[", count: 200) + String(repeating: "]", count: 200), .limitExceeded),
    ])
    func `a line that cannot be decoded is an error with its number`(
        _ line: String,
        _ code: SerializationError.Code
    ) async throws {
        let response = try StreamedResponse.streaming("{\"user_id\":1}\n\n\(line)\n{\"user_id\":4}\n")
        var rows = response.jsonLines(as: Row.self).makeAsyncIterator()
        #expect(try await rows.next() == Row(1))
        let error = await #expect(throws: SessionError.self) { try await rows.next() }
        #expect(error?.code == .serializationFailed)
        #expect(error?.reason.hasPrefix("line 3: ") == true)
        #expect(error?.response.map { String(decoding: $0.body, as: UTF8.self) } == line)
        let underlying = try #require(error?.underlying as? SerializationError)
        #expect(underlying.code == code)
        #expect(try await rows.next() == nil)
    }

    @Test func `a document beyond its limit is refused`() async throws {
        let response = try StreamedResponse.streaming("[1]\n[1,2,3,4]\n")
        let error = await #expect(throws: SessionError.self) {
            try await response.jsonLines(as: [Int].self, limits: ParsingLimits(byteCount: 5)).all()
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test func `a large document is decoded as well`() async throws {
        let numbers = Array(0..<20_000)
        let text = "\(numbers)\n[1]\n"
        let values = try await StreamedResponse.streaming(text, cut: .every(1_000)).jsonLines(as: [Int].self).all()
        #expect(values == [numbers, [1]])
    }

    @Test func `the decoder is that of the HTTP session, unless another is given`() async throws {
        struct Plain: Decodable, Equatable {
            var userId: Int
        }
        let transport = StubTransport { _ in .plain("{\"user_id\":1}\n") }
        var api = try HTTPSession("http://h/", transport: transport)
        api.decoder.keys = .snakeCase
        var rows = try await api.stream("rows").jsonLines(as: Plain.self).makeAsyncIterator()
        #expect(try await rows.next() == Plain(userId: 1))
        let other = try await api.stream("rows").jsonLines(as: Plain.self, decoder: ResponseDecoder())
        await #expect(throws: SessionError.self) { try await other.all() }
    }

    @Test func `texts of a sequence become values`() async throws {
        let text = "\u{1E}{\"user_id\":1}\n\u{1E}\u{1E}\n\u{1E}{\"user_id\":\n2}\u{1E}{\"user_id\":3}"
        for cut in Cut.several {
            let rows = try await StreamedResponse.streaming(text, cut: cut).jsonTextSequence(as: Row.self).all()
            #expect(rows == [Row(1), Row(2), Row(3)], "\(cut)")
        }
    }

    @Test(arguments: [
        // RFC 7464 section 2.4: a number may have been cut.
        ("\u{1E}1\n\u{1E}23", "text 2"),
        ("\u{1E}1\n\u{1E}2\u{1E}3\n", "text 2"),
        ("\u{1E}1\n\u{1E}[\n", "text 2"),
        ("1\n\u{1E}1\n", "begin with RS"),
    ])
    func `a text that may have been cut is refused`(_ text: String, _ reason: String) async throws {
        let error = await #expect(throws: SessionError.self) {
            try await StreamedResponse.streaming(text).jsonTextSequence(as: JSONValue.self).all()
        }
        #expect(error?.code == .serializationFailed)
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func `refused texts are skipped where that is asked for`() async throws {
        let text = "x\u{1E}1\n\u{1E}{\"a\":\u{1E}true\u{1E}\"\n\"\u{1E}4 \u{1E}5"
        for cut in Cut.several {
            let sequence = try StreamedResponse.streaming(text, cut: cut)
                .jsonTextSequence(as: Int.self, skipsInvalidTexts: true)
            #expect(try await sequence.all() == [1, 4], "\(cut)")
        }
    }

    @Test func `a limit holds where refused texts are skipped, too`() async throws {
        let sequence = try StreamedResponse.streaming("\u{1E}1\n\u{1E}123456\n\u{1E}3\n")
            .jsonTextSequence(as: Int.self, limits: ParsingLimits(byteCount: 5), skipsInvalidTexts: true)
        let error = await #expect(throws: SessionError.self) { try await sequence.all() }
        #expect(error?.code == .limitExceeded)
    }
}
