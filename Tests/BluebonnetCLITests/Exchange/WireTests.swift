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
