// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation
import HTTPTypes
import Testing

/// `python3 -m http.server`: HTTP/1.0, one connection per request, an end of the body that is the end of the connection.
@Suite(.timeLimit(.minutes(1)))
struct PythonFilesTests {
    @Test
    func `gets files one after the other`() async throws {
        try await ExternalServer.withSession(.files) { http, server in
            let data = patternedData(count: 1_000_000)
            try server.write(data, as: "a file.bin")
            for _ in 0..<5 {
                let response = try await http.get("a%20file.bin")
                #expect(response.headers[.server]?.hasPrefix("SimpleHTTP") == true)
                #expect(response.body == data)
            }
        }
    }

    @Test
    func `lists a folder`() async throws {
        try await ExternalServer.withSession(.files) { http, server in
            try server.write(Data(), as: "täglich & früh.txt")
            let page = try await http.get("", serializer: .string)
            #expect(page.contains("t%C3%A4glich"))
        }
    }

    @Test
    func `refuses what is not there`() async throws {
        try await ExternalServer.withSession(.files) { http, _ in
            let error = await #expect(throws: SessionError.self) { try await http.get("missing") }
            #expect(error?.response?.status == .notFound)
        }
    }

    @Test
    func `gets many files at a time`() async throws {
        try await ExternalServer.withSession(.files, connections: 4) { http, server in
            for number in 0..<20 { try server.write(Data("file \(number)".utf8), as: "\(number).txt") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let body = try await http.get("\(number).txt").body
                        #expect(body == Data("file \(number)".utf8))
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
