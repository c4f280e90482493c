// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluebonnetCLI

@Suite struct CommandWordsTests {
    @Test(
        arguments: [
            ("example.org", nil, "example.org", []),
            ("GET example.org", "GET", "example.org", []),
            ("get example.org", "GET", "example.org", []),
            ("delete :8080/x", "DELETE", ":8080/x", []),
            ("localhost a=1", nil, "localhost", ["a=1"]),
            ("localhost X:1", nil, "localhost", ["X:1"]),
            ("server q==1", nil, "server", ["q==1"]),
            ("PURGE example.org", "PURGE", "example.org", []),
            ("M-SEARCH example.org", "M-SEARCH", "example.org", []),
            ("POST localhost a=1 b=2", "POST", "localhost", ["a=1", "b=2"]),
            ("custom http://localhost", "CUSTOM", "http://localhost", []),
            ("propfind http://localhost", "PROPFIND", "http://localhost", []),
            ("DOWNLOAD http://localhost", "DOWNLOAD", "http://localhost", []),
            ("download a=1", nil, "download", ["a=1"]),
            ("example.org/get a=1", nil, "example.org/get", ["a=1"]),
            (":8080 a=1", nil, ":8080", ["a=1"]),
            ("a=1.example x=1", nil, "a=1.example", ["x=1"]),
        ] as [(String, String?, String, [String])]
    )
    func `tells method, URL and items apart`(_ line: String, _ method: String?, _ url: String, _ items: [String]) throws
    {
        let words = try CommandWords(line.split(separator: " ").map(String.init))
        #expect(words.method == method)
        #expect(words.url == url)
        #expect(words.items == items)
    }

    @Test(arguments: [
        ([], "there is no URL"), (["POST"], "no URL after the method"),
        (["GE T", "localhost"], "neither a method nor a URL"),
        (["name=value", "localhost:80"], "stands before the URL"), (["a==1", "https://x"], "stands before the URL"),
        (["download", "https://x"], "did you mean “--download”? If not, write DOWNLOAD to send it as it is"),
        (["dowload", "localhost"], "did you mean “--download”?"),
        (["Offline", "localhost"], "did you mean “--offline”?"),
        (["gte", "localhost"], "did you mean “GET”?"), (["deltee", ":80"], "did you mean “DELETE”?"),
    ])
    func `explains what is missing`(_ words: [String], _ explanation: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try CommandWords(words) }
        #expect(failure.message.contains(explanation), "\(failure.message)")
    }
}
