// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite(.timeLimit(.minutes(1))) struct WireTests {
    @Test(arguments: [
        ["GET"], ["DELETE", "X:1", "q==a b"], ["POST"], ["POST", "a=1", "b[]:=2"], ["--form", "PUT", "a=1"],
        ["--multipart", "--boundary", "b", "POST", "a=1"], ["--auth", "a:b", "HEAD"],
    ])
    func `what is printed offline is what goes over the wire`(_ arguments: [String]) async throws {
        let listener = try RawListener()
        let words = ["localhost:\(listener.port)/x?y"]
        var line = arguments
        let method = line.firstIndex { ["GET", "DELETE", "POST", "PUT", "HEAD"].contains($0) } ?? 0
        line.insert(contentsOf: words, at: method + 1)
        let offline = TestConsole()
        #expect(await offline.run(["--offline"] + line) == .success)
        let expected = offline.output.bytes
        async let received = listener.receive(expected.count)
        let online = TestConsole()
        let status = await online.run(line.map { $0.replacing("localhost:", with: "127.0.0.1:") })
        #expect(status == .success, "\(online.errors.text)")
        let text = String(decoding: await received, as: UTF8.self)
        #expect(text.replacing("127.0.0.1:", with: "localhost:") == String(decoding: expected, as: UTF8.self))
    }

    @Test(arguments: [
        ["GET"], ["POST"], ["POST", "a=1"], ["GET", "Accept:", "Accept-Encoding:", "User-Agent:"],
        ["--form", "PUT", "a=1", "Host:other"],
    ])
    func `what verbose prints is what goes over the wire`(_ arguments: [String]) async throws {
        let listener = try RawListener()
        var line = arguments
        let method = line.firstIndex { ["GET", "POST", "PUT"].contains($0) } ?? 0
        line.insert("127.0.0.1:\(listener.port)/x?y", at: method + 1)
        let offline = TestConsole()
        #expect(await offline.run(["--offline"] + line) == .success)
        async let received = listener.receive(offline.output.bytes.count)
        let online = TestConsole()
        #expect(await online.run(["--print=HB"] + line) == .success, "\(online.errors.text)")
        let text = String(decoding: await received, as: UTF8.self)
        #expect(online.output.text == text)
        #expect(!arguments.contains("Accept:") || !text.contains("Accept"), "\(text)")
    }

    @Test(arguments: [[], ["--noproxy", "other"], ["--proxy", "http://b"]])
    func `what is printed for a proxy that forwards is what it is sent`(_ options: [String]) async throws {
        let listener = try RawListener()
        let proxy = "http://ada:secret@127.0.0.1:\(listener.port)"
        let line = options.map { $0.replacing("http://b", with: proxy) } + ["POST", "origin.test:81/x?y", "a=1"]
        let environment = options.contains("--proxy") ? [:] : ["http_proxy": proxy]
        let offline = TestConsole(environment: environment)
        #expect(await offline.run(["--offline"] + line) == .success)
        let expected = offline.output.bytes
        async let received = listener.receive(expected.count)
        let online = TestConsole(environment: environment)
        #expect(await online.run(line) == .success, "\(online.errors.text)")
        #expect(await received == expected)
        let text = String(decoding: expected, as: UTF8.self)
        #expect(text.hasPrefix("POST http://origin.test:81/x?y HTTP/1.1\r\n"))
        #expect(text.contains("\r\nProxy-Authorization: Basic YWRhOnNlY3JldA==\r\n"))
    }

    @Test(arguments: [["--noproxy", "*"], ["--proxy", ""], ["--noproxy", "127.0.0.0/8"]])
    func `goes around the proxy of the environment`(_ options: [String]) async throws {
        let listener = try RawListener()
        async let received = listener.receive(1)
        let console = TestConsole(environment: ["http_proxy": "http://127.0.0.1:1", "no_proxy": "other"])
        #expect(await console.run(options + ["127.0.0.1:\(listener.port)/x"]) == .success, "\(console.errors.text)")
        #expect(String(decoding: await received, as: UTF8.self).hasPrefix("GET /x HTTP/1.1\r\n"))
    }

    @Test func `goes to a Unix socket`() async throws {
        let folder = try TemporaryFolder()
        let listener = try RawListener(path: folder.path + "/s")
        async let received = listener.receive(1)
        let console = TestConsole(environment: ["http_proxy": "http://127.0.0.1:1"])
        #expect(await console.run("--unix-socket", folder.path + "/s", "docker.test/info") == .success)
        let text = String(decoding: await received, as: UTF8.self)
        #expect(text.hasPrefix("GET /info HTTP/1.1\r\nHost: docker.test\r\n"))
    }

    @Test(arguments: [
        (["--proxy", "http://ada:secret@127.0.0.1:1", "http://a.test"], 2, "--proxy \"\""),
        (["--unix-socket", "/nonexistent/s", "http://a.test"], 2, "No such file"),
        (["http://b.test"], 1, "http_proxy cannot be read"),
    ])
    func `explains a way that leads nowhere`(_ line: [String], _ status: Int32, _ explanation: String) async throws {
        let console = TestConsole(environment: ["http_proxy": "ftp://ada:secret@x"])
        #expect(await console.run(line).rawValue == status)
        #expect(console.errors.text.contains(explanation), "\(console.errors.text)")
        #expect(!console.errors.text.contains("secret"))
    }

    @Test func `a long piped body goes over the wire in the chunks that are printed`() async throws {
        let listener = try RawListener()
        let bytes = (0..<(PipedBody.bufferedByteCount + 300_000)).map { UInt8(truncatingIfNeeded: $0) }
        let url = "127.0.0.1:\(listener.port)"
        let offline = TestConsole(input: PipedText(bytes, pieceSize: 50_000))
        #expect(await offline.run("--offline", url) == .success)
        let expected = offline.output.bytes
        async let received = listener.receive(expected.count)
        let online = TestConsole(input: PipedText(bytes, pieceSize: 12_345))
        #expect(await online.run(url) == .success)
        #expect(await received == expected)
    }
}
