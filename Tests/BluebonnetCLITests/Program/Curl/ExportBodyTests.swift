// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What `--as` makes of bodies that are empty or are not there, and of files.
@Suite(.timeLimit(.minutes(1))) struct ExportBodyTests {
    @Test(
        .bug(id: "F456"),
        arguments: [
            (["--multipart", "h.test"], "curl", "POST"), (["--multipart", "PUT", "h.test"], "curl", "PUT"),
            (["--multipart", "--follow", "h.test"], "curl", "POST"),
            (["--multipart", "GET", "h.test"], "curl", "GET"), (["--multipart", "h.test"], "httpie", "POST"),
            (["--multipart", "h.test"], "swift", "post"),
        ]
    )
    func `a form without parts keeps its method and its type`(
        _ words: [String],
        _ form: String,
        _ method: String
    ) async throws {
        let result = try await Program().run(["--as", form] + words)
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.contains("multipart/form-data; boundary="), "\(result.output)")
        // An empty text makes curl send POST.
        let expected =
            switch (form, method) {
            case ("curl", "POST"): "--data-raw ''"
            case ("curl", _): "-X \(method)"
            default: method
            }
        #expect(result.output.contains(expected), "\(result.output)")
        #expect(!result.output.contains("--multipart"), "\(result.output)")
    }

    /// What curl is given in place of a body, and options that it must not get beside that.
    @Test(
        .bug(id: "F747"),
        arguments: [
            (["POST", "h.test"], "--data-raw ''", "-X"), (["PUT", "h.test"], "--data-raw ''", "--form"),
            (["--multipart", "PUT", "h.test", "a=1"], "--form-string a=1 -X PUT", "--data"),
            (["--multipart", "h.test", "a=1"], "--form-string a=1", "-X"),
            (["curl", "-LX", "POST", "h.test"], "--data-raw '' -X POST", "--form"),
            (["curl", "-X", "PATCH", "h.test"], "-X PATCH", "--form"), (["DELETE", "h.test"], "-X DELETE", "--data"),
        ]
    )
    func `a request that has a length without a body has one in curl`(
        _ words: [String],
        _ included: String,
        _ excluded: String
    ) async throws {
        let result = try await Program().run(["--as", "curl"] + words)
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.contains(included), "\(result.output)")
        #expect(!result.output.contains(excluded), "\(result.output)")
    }

    @Test(.bug(id: "F457"), arguments: ["curl", "httpie", "swift"])
    func `a body that is not there is not announced`(_ form: String) async throws {
        for words in [["--chunked", "h.test"], ["curl", "-H", "Transfer-Encoding: chunked", "h.test"]] {
            let result = try await Program().run(["--as", form] + words)
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(!result.output.lowercased().contains("chunked"), "\(result.output)")
            #expect(result.errors.isEmpty)
        }
    }

    @Test(
        .bug(id: "F453"),
        arguments: [
            ("swift", #"URL(filePath: "./~nobody")"#), ("httpie", "a@./~nobody"), ("curl", "a=@~nobody"),
        ]
    )
    func `a file whose name begins with a tilde is named so that no program expands it`(
        _ form: String,
        _ text: String
    ) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("~nobody", "text")
        let program = Program(directory: folder.path)
        let result = try await program.run("--as", form, "--multipart", "h.test", "a@~nobody")
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.contains(text), "\(result.output)")
    }

    @Test(
        .bug(id: "F703"),
        arguments: [
            (["curl", "-T", "f.txt", "h.test"], "Content-Type:"), (["h.test", "@f.txt"], "Content-Type:text/plain"),
        ]
    )
    func `the type of a file is written for HTTPie, which would guess one`(
        _ words: [String],
        _ item: String
    ) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("f.txt", "text")
        let result = try await Program(directory: folder.path).run(["--as", "httpie"] + words)
        #expect(result.ending == .exited(0), "\(result.errors)")
        let items = result.output.split(whereSeparator: \.isWhitespace)
        #expect(items.filter { $0.hasPrefix("Content-Type") } == [Substring(item)], "\(result.output)")
    }
}
