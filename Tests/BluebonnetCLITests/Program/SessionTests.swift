// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// `--session` of the real program.
@Suite(.timeLimit(.minutes(1))) struct SessionTests {
    /// The first and only file below the folder of sessions, as JSON.
    private static func stored(_ folder: TemporaryFolder, _ server: TestServer, _ name: String) throws -> [String: Any]
    {
        let text = try #require(folder.text("sessions/127.0.0.1_\(server.port)/\(name).json"))
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func `a session keeps headers, credentials and cookies, in a file of its owner`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let program = Program(environment: ["BLUEBONNET_CONFIG_DIR": folder.path])
            server.enqueue(ScriptedResponse(headers: [.setCookie: "id=1; Path=/"], body: "first"))
            server.enqueue(ScriptedResponse(headers: [.setCookie: "id=2; Path=/"], body: "second"))
            server.enqueue(ScriptedResponse(body: "third"))
            let words = ["--session=s", server.url + "/a"]
            let first = try await program.run(
                ["-a", "ada:secret"] + words + ["X-Key:1", "Content-Language:de", "Cookie:mine=3", "a=1"]
            )
            #expect(first.ending == .exited(0), "\(first.errors)")
            let sent = try await server.takeRequest().headers
            #expect(sent[.cookie] == "mine=3")
            #expect(sent[.contentLanguage] == "de")

            #expect(try await program.run(words).output == "second")
            let again = try await server.takeRequest()
            #expect(again.method == .get)
            #expect(again.headers[HTTPField.Name("X-Key")!] == "1")
            #expect(again.headers[.authorization] == "Basic YWRhOnNlY3JldA==")
            #expect(Set(again.headers[.cookie]?.split(separator: "; ").map(String.init) ?? []) == ["id=1", "mine=3"])
            #expect(again.headers[.contentLanguage] == nil)

            _ = try await program.run(words + ["X-Key:2"])
            let last = try await server.takeRequest()
            #expect(last.headers[HTTPField.Name("X-Key")!] == "2")
            #expect(last.headers[.cookie]?.contains("id=2") == true)

            let path = folder.path + "/sessions/127.0.0.1_\(server.port)/s.json"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let document = try Self.stored(folder, server, "s")
            #expect((document["auth"] as? [String: String])?["raw_auth"] == "ada:secret")
        }
    }

    @Test(arguments: [true, false]) func `a session that is a link stays one`(_ exists: Bool) async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            if exists { _ = try folder.add("real.json", "{}") }
            let files = FileManager.default
            try files.createSymbolicLink(atPath: folder.path + "/middle.json", withDestinationPath: "real.json")
            let link = folder.path + "/s.json"
            try files.createSymbolicLink(atPath: link, withDestinationPath: folder.path + "/middle.json")
            let result = try await Program().run("--session", link, server.url + "/echo", "X-Key:1")
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try files.destinationOfSymbolicLink(atPath: link) == folder.path + "/middle.json")
            #expect(try files.destinationOfSymbolicLink(atPath: folder.path + "/middle.json") == "real.json")
            #expect(folder.text("real.json")?.contains("X-Key") == true)
        }
    }

    @Test(arguments: [
        #"{"headers":5}"#, #"{"headers":"a"}"#, #"{"headers":[5]}"#, #"{"headers":{"X-A":5}}"#,
        #"{"headers":{"X A":"b"}}"#, #"{"headers":[{"name":"X-A","value":"a\nb"}]}"#,
        #"{"headers":[{"name":"X-A"}]}"#,
    ])
    func `a session whose headers cannot be sent is an error, and stays as it is`(_ text: String) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let folder = try TemporaryFolder()
            let path = try folder.add("s.json", text)
            let result = try await Program().run("--session", path, server.url)
            #expect(result.ending == .exited(1))
            #expect(result.errors.contains("the session “\(path)”"), "\(result.errors)")
            #expect(folder.text("s.json") == text)
            #expect(server.untakenRequestCount == 0)
        }
    }

    @Test(arguments: ["{}", #"{"headers":null}"#, #"{"headers":[]}"#, #"{"headers":{"X-A":"b","Cookie":"c=d"}}"#])
    func `a session with headers in any form is read`(_ text: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.add("s.json", text)
        let result = try await Program().run("--offline", "--session", path, "localhost")
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.contains("X-A: b\r\n") == text.contains("X-A"), "\(result.output)")
    }

    @Test func `a session that is read only stays as it is`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let path = try folder.add(
                "s.json",
                #"{"headers":[{"name":"X-Key","value":"1"}],"cookies":[{"name":"c","value":"v","domain":"","path":"/"}],"auth":{"type":"bearer","raw_auth":"t0ken"},"own":1}"#
            )
            let before = folder.text("s.json")
            server.enqueue(ScriptedResponse(headers: [.setCookie: "id=1"], body: "x"), ScriptedResponse(body: "y"))
            let result = try await Program().run("--session-read-only", path, server.url, "X-Other:2")
            #expect(result.ending == .exited(0), "\(result.errors)")
            let sent = try await server.takeRequest().headers
            #expect(sent[.authorization] == "Bearer t0ken")
            #expect(sent[.cookie] == "c=v")
            #expect(folder.text("s.json") == before)
            _ = try await Program().run("--session", path, server.url)
            let text = try #require(folder.text("s.json"))
            #expect(text.contains("\"own\": 1"))
            #expect(folder.names == ["s.json"])
        }
    }

    @Test(.bug(id: "F311"), arguments: [true, false])
    func `credentials of the command replace the Authorization field of a session`(_ areInURL: Bool) async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let path = try folder.add(
                "s.json",
                #"{"headers":[{"name":"authorization","value":"Token old"},{"name":"X-Key","value":"1"}]}"#
            )
            let url = server.url + "/echo"
            let first =
                areInURL ? [url.replacing("http://", with: "http://ada:secret@")] : ["--auth", "ada:secret", url]
            for words in [first, [url]] {
                let result = try await Program().run(["--session", path] + words)
                #expect(result.ending == .exited(0), "\(result.errors)")
                let sent = try await server.takeRequest().headers
                #expect(sent[values: .authorization] == ["Basic YWRhOnNlY3JldA=="])
                #expect(sent[HTTPField.Name("X-Key")!] == "1")
            }
            #expect(folder.text("s.json")?.contains("Token old") == false)
        }
    }

    @Test(.bug(id: "F311"))
    func `credentials of the command replace those of a session whose kind is not known`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let path = try folder.add("s.json", #"{"auth":{"type":"ntlm","raw_auth":"a:b"}}"#)
            let words = ["--session", path, server.url + "/echo"]
            let refused = try await Program().run(words)
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("of the kind “ntlm”"), "\(refused.errors)")
            let result = try await Program().run(["--auth", "ada:secret"] + words)
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().headers[.authorization] == "Basic YWRhOnNlY3JldA==")
            #expect(folder.text("s.json")?.contains("ntlm") == false)
        }
    }

    @Test func `digest credentials answer a challenge, and the last exchange is shown`() async throws {
        try await TestServer.withServer { server in
            let challenge = #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#
            server.enqueue(ScriptedResponse(status: .unauthorized, headers: [.wwwAuthenticate: challenge]))
            server.enqueue(ScriptedResponse(body: "in"))
            let result = try await Program().run("-v", "-A", "digest", "-a", "ada:secret", server.url)
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output.contains("Authorization: Digest username=\"ada\""), "\(result.output)")
            #expect(result.output.components(separatedBy: "GET / HTTP/1.1").count == 2)
            #expect(try await server.takeRequest().headers[.authorization] == nil)
        }
    }

    @Test func `a netrc file gives the password of a host, unless it is ignored or others can read it`() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let path = try folder.add(".netrc", "machine 127.0.0.1 login ada password secret\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let program = Program(environment: ["HOME": folder.path])
            for (options, expected) in [([], "Basic YWRhOnNlY3JldA=="), (["--ignore-netrc"], nil)]
                as [([String], String?)]
            {
                _ = try await program.run(options + [server.url])
                #expect(try await server.takeRequest().headers[.authorization] == expected)
            }
            _ = try await program.run("-a", "bob:x", server.url)
            #expect(try await server.takeRequest().headers[.authorization] == "Basic Ym9iOng=")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let open = try await program.run(server.url)
            #expect(open.errors.contains("warning: "), "\(open.errors)")
            #expect(try await server.takeRequest().headers[.authorization] == nil)
        }
    }

    @Test(
        .bug(id: "F363"),
        arguments: [
            ([], []), (["-r", "0-1", "-e", "http://x/", "-z", "Sun, 06 Nov 1994 08:49:37 GMT"], []),
            (["--json", "{}"], []),
            (["-H", "X-A: 1", "-H", "Accept: a/b", "-A", "me"], ["User-Agent", "X-A", "Accept"]),
        ] as [([String], [String])]
    )
    func `a session keeps the fields that a command of curl has written`(
        _ options: [String],
        _ names: [String]
    )
        async throws
    {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let path = folder.path + "/s.json"
            let result = try await Program().run(["--session", path, "curl"] + options + [server.url + "/echo"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            let text = try #require(folder.text("s.json"))
            let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let headers = try #require(document?["headers"] as? [[String: String]])
            #expect(headers.map { $0["name"] } == names)
        }
    }

    @Test(
        .bug(id: "F363"),
        arguments: [([], "a/b"), (["--json", "{}"], "application/json"), (["-H", "Accept: c/d"], "c/d")]
    )
    func `the Accept of a session takes the place of that of curl itself`(
        _ options: [String],
        _ expected: String
    )
        async throws
    {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let path = try folder.add("s.json", #"{"headers":[{"name":"Accept","value":"a/b"}]}"#)
            let result = try await Program().run(["--session", path, "curl"] + options + [server.url + "/echo"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(try await server.takeRequest().headers[values: .accept] == [expected])
        }
    }
}
