// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The programs of `--as swift`; `ExportTests` compiles them.
@Suite(.timeLimit(.minutes(1))) struct SwiftExportTests {
    private static let imports = "import Bluebonnet\nimport Foundation\nimport HTTPTypes\n\n"

    @Test(.bug(id: "F517"), arguments: [["h.test/a", "h.test/b"], ["h.test/a", "--next", "-d", "x", "h.test/b"]])
    func `several requests are one program, each in a scope of its own`(_ words: [String]) async throws {
        let result = try await Program().run(["--as", "swift", "curl"] + words)
        #expect(result.ending == .exited(0), "\(result.errors)")
        let parts = result.output.components(separatedBy: "do {\n")
        #expect(parts.count == 3 && parts[0] == Self.imports, "\(result.output)")
        for (part, path) in zip(parts.dropFirst(), ["/a", "/b"]) {
            #expect(part.contains("    var request = ") && part.contains("http://h.test\(path)"), "\(part)")
            #expect(part.hasSuffix("    await session.shutdown()\n}\n"), "\(part)")
        }
    }

    @Test(.bug(id: "F517"), arguments: ["swift", "httpie"])
    func `a command of which one request cannot be written ends with that one`(_ form: String) async throws {
        let folder = try TemporaryFolder()
        try Data([0xFF]).write(to: URL(filePath: folder.path + "/bytes"))
        let words = ["-d", "@bytes", "h.test/a", "--next", "h.test/b"]
        let result = try await Program(directory: folder.path).run(["--as", form, "curl"] + words)
        #expect(result.ending == .exited(1))
        #expect(result.output.isEmpty, "\(result.output)")
    }

    @Test(.bug(id: "F518"))
    func `the program writes any response, whatever its status and its bytes`() async throws {
        let result = try await Program().run("--as", "swift", "h.test")
        let end = """
            let response = try await session.response(for: request)
            try FileHandle.standardError.write(contentsOf: Data("\\(response.status)\\n".utf8))
            try FileHandle.standardOutput.write(contentsOf: response.body)
            await session.shutdown()

            """
        #expect(result.output.hasPrefix(Self.imports) && result.output.hasSuffix(end), "\(result.output)")
    }

    @Test(
        .bug(id: "F521"),
        arguments: [
            ("multipart/mixed", #"= "multipart/mixed; boundary=" + form.boundary"#),
            ("multipart/related; type=a/b", #"= "multipart/related; type=a/b; boundary=" + form.boundary"#),
            ("multipart/form-data", "= form.contentType"),
        ]
    )
    func `a form in Swift keeps the type of the command`(_ type: String, _ value: String) async throws {
        let words = ["-F", "a=1", "-H", "Content-Type: \(type)", "h.test"]
        let result = try await Program().run(["--as", "swift", "curl"] + words)
        #expect(result.ending == .exited(0) && result.errors.isEmpty, "\(result.errors)")
        let lines = result.output.split(separator: "\n").filter { $0.contains("contentType") }
        #expect(lines == ["request.headers[.contentType] \(value)"], "\(result.output)")
    }

    @Test(
        .bug(id: "F516"),
        arguments: [
            ("curl", "-H 'Range: bytes=0-9'", "--compressed"), ("httpie", " Accept-Encoding:", "Accept-Encoding:g"),
            ("swift", #"value: "bytes=0-9""#, "acceptEncoding"),
        ]
    )
    func `a range is written without codings`(_ form: String, _ text: String, _ other: String) async throws {
        for words in [["h.test", "Range:bytes=0-9"], ["curl", "-r", "0-9", "h.test"]] {
            let result = try await Program().run(["--as", form] + words)
            #expect(result.ending == .exited(0) && result.errors.isEmpty, "\(result.errors)")
            #expect(result.output.contains(text) && !result.output.contains(other), "\(result.output)")
        }
    }
}
