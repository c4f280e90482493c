// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import Foundation
import HTTPTypes
import Testing

/// What a server that nobody here wrote finds in the bodies we send, and what we find in its own.
@Suite(.timeLimit(.minutes(1)))
struct BodiesTests {
    struct Digest: Decodable {
        var method: String
        var length: Int
        var digest: String
        var chunked: Bool
    }

    @Test(arguments: [0, 1, 65_536, 5_000_011])
    func `sends a file with its length`(_ count: Int) async throws {
        try await ExternalServer.withSession(.bodies) { http, server in
            let data = patternedData(count: count)
            let file = try server.write(data, as: "file.bin")
            let url = server.http.appending(path: "digest")
            let request = Request(method: .put, url: url, body: .file(file))
            let serializer = DecodableResponseSerializer(Digest.self)
            let answer = try await http.session.value(for: request, serializer: serializer)
            #expect(answer.method == "PUT")
            #expect(answer.length == count)
            #expect(answer.digest == digest(data))
            #expect(!answer.chunked)
        }
    }

    /// Gives bytes in pieces of uneven size.
    struct UnevenReader: BodyReader {
        var data: Data
        var size = 1

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let count = min(self.size, buffer.count, self.data.count)
            self.data.prefix(count).withUnsafeBytes { buffer.copyMemory(from: $0) }
            self.data = self.data.dropFirst(count)
            self.size = self.size * 7 % 10_007 + 1
            return count
        }
    }

    @Test
    func `sends a body of unknown length in chunks`() async throws {
        try await ExternalServer.withSession(.bodies) { http, server in
            let data = patternedData(count: 1_234_567)
            let body = RequestBody.stream(length: nil, isReplayable: true) { UnevenReader(data: data) }
            let request = Request(method: .post, url: server.http.appending(path: "digest"), body: body)
            let serializer = DecodableResponseSerializer(Digest.self)
            let answer = try await http.session.value(for: request, serializer: serializer)
            #expect(answer.chunked)
            #expect(answer.length == data.count)
            #expect(answer.digest == digest(data))
        }
    }

    @Test(arguments: [0, 1, 1_048_576, 5_000_000])
    func `receives a body in chunks`(_ count: Int) async throws {
        try await ExternalServer.withSession(.bodies) { http, _ in
            let sent = try await http.head("pattern/\(count)")
            let response = try await http.get("chunked/\(count)")
            #expect(response.body.count == count)
            #expect(response.headers[.contentLength] == nil)
            let name = try #require(HTTPField.Name("X-SHA256"))
            #expect(sent.headers[name] == digest(response.body))
        }
    }

    @Test
    func `says that the server closed the connection without an answer`() async throws {
        try await ExternalServer.withSession(.bodies) { http, _ in
            let error = await #expect(throws: SessionError.self) { try await http.get("close") }
            #expect(error?.code == .connectionClosed)
        }
    }

    @Test
    func `says that a response was cut short, and leaves no file`() async throws {
        try await ExternalServer.withSession(.bodies) { http, server in
            let error = await #expect(throws: SessionError.self) { try await http.get("cut/1000000") }
            #expect(error?.code == .connectionClosed)
            await #expect(throws: SessionError.self) {
                try await http.download("cut/1000000", to: server.files.appending(path: "file.bin"))
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: server.files.path())
            #expect(left.isEmpty)
        }
    }

    @Test
    func `sends parameters as a form and as JSON`() async throws {
        struct Echo: Decodable {
            var method: String
            var target: String
            var headers: [[String]]
            var length: Int
        }
        try await ExternalServer.withSession(.bodies) { http, _ in
            let query = try await http.get("echo", parameters: ["q": "a b&c", "list": [1, 2]], as: Echo.self)
            #expect(query.target == "/echo?list%5B%5D=1&list%5B%5D=2&q=a%20b%26c")
            let form = try await http.post("echo", parameters: ["q": "a b"], as: Echo.self)
            #expect(form.method == "POST")
            #expect(form.length == "q=a%20b".utf8.count)
            #expect(form.headers.contains { $0[0] == "Content-Type" && $0[1].hasPrefix("application/x-www-form") })
        }
    }
}
