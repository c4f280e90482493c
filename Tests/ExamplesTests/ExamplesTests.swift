// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import download_with_progress
@testable import json_get
@testable import upload_file

/// The examples do what they say, against a server of our own.
@Suite(.timeLimit(.minutes(1)))
struct ExamplesTests {
    @Test
    func `json-get decodes a user`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(.json(#"{"id": 7, "name": "Ada", "x": []}"#))
            let user = try await JSONGet.user(at: "\(server.url)/users/7")
            #expect(user.id == 7)
            #expect(user.name == "Ada")
            #expect(try await server.takeRequest().target == "/users/7")
        }
    }

    @Test
    func `upload-file sends the file and the caption`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "example-\(UUID().uuidString).png")
        try Data("not really a picture".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: .text("thank you")))
            let response = try await UploadFile.send(file, caption: "a field", to: server.url)
            #expect(String(decoding: response, as: UTF8.self) == "thank you")
            let request = try await server.takeRequest()
            #expect(request.headers[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
            let body = request.bodyText
            #expect(body.contains("name=\"caption\"\r\n\r\na field\r\n"))
            #expect(body.contains("filename=\"\(file.lastPathComponent)\"\r\nContent-Type: image/png\r\n"))
            #expect(body.contains("\r\n\r\nnot really a picture\r\n--"))
        }
    }

    @Test
    func `download-with-progress saves the file and reports to the end`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "example-\(UUID().uuidString).bin")
        defer { try? FileManager.default.removeItem(at: file) }
        try await TestServer.withServer { server in
            let last = Mutex<Int64>(0)
            let saved = try await DownloadWithProgress.save("\(server.url)/bytes/3000000", to: file) { progress in
                last.withLock { last in
                    #expect(progress.completed >= last)
                    last = progress.completed
                }
            }
            #expect(saved.byteCount == 3_000_000)
            #expect(last.withLock { $0 } == 3_000_000)
            #expect(try Data(contentsOf: file).count == 3_000_000)
        }
    }

    private static func program(_ name: String) -> URL { Bundle.main.bundleURL.appending(path: name) }

    @Test(.bug(id: "F522"), arguments: ["json-get", "upload-file", "download-with-progress"])
    func `an example that is refused by the server ends with a failure`(_ name: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "example-\(UUID().uuidString)")
        if name == "upload-file" { try Data("text".utf8).write(to: file) }
        defer { try? FileManager.default.removeItem(at: file) }
        try await TestServer.withServer { server in
            server.respond { _ in ScriptedResponse(status: .notFound) }
            let words = [server.url + "/a"] + (name == "json-get" ? [] : [file.path(percentEncoded: false)])
            let child = try await KilledChild(Self.program(name), words, killedAfter: nil)
            #expect(child.status == 1 && !child.wasKilled)
            #expect(child.lines.last?.contains("404") == true, "\(child.lines)")
        }
    }

    @Test(
        .bug(id: "F522"),
        arguments: [
            "api-client", "chat-reader", "download-with-progress", "json-get", "pinned-client", "upload-file",
        ]
    )
    func `an example without arguments says how it is used, and ends with the status for that`(
        _ name: String
    ) async throws {
        let child = try await KilledChild(Self.program(name), [], killedAfter: nil)
        #expect(child.status == 64 && !child.wasKilled)
        #expect(child.lines.first?.hasPrefix("usage: \(name) ") == true, "\(child.lines)")
    }
}
