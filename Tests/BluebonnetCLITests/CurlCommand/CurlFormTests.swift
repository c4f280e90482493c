// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Words of curl's `--form`, and the parts that curl 7.88 makes of them.
@Suite(.timeLimit(.minutes(1))) struct CurlFormTests {
    /// A word, and the part: the fields and the content.
    struct Case: CustomTestStringConvertible, Sendable {
        var word: String
        var disposition: String
        var type: String?
        var content: String

        init(_ word: String, _ content: String, _ disposition: String = "", type: String? = nil, name: String = "a") {
            self.word = word
            self.disposition = (name.isEmpty ? "" : "; name=\"\(name)\"") + disposition
            self.type = type
            self.content = content
        }

        var testDescription: String { self.word.debugDescription }

        /// The part with what stands around it, apart from the boundary.
        var part: String {
            let type = self.type.map { "Content-Type: \($0)\r\n" } ?? ""
            return "\r\nContent-Disposition: form-data\(self.disposition)\r\n\(type)\r\n\(self.content)\r\n--"
        }
    }

    static let texts = [
        Case("a= b", "b"), Case("a=b c ", "b c"), Case("a=b\n", "b"), Case("a=\n\t b\u{B}", "b"), Case("a= ", ""),
        Case("a=b ;type=text/x", "b", type: "text/x"),
        Case(#"a="b"#, #""b"#), Case(#"a="b\""#, #""b\""#), Case(#"a="b;type=text/x"#, #""b"#, type: "text/x"),
        Case(#"a= "b" "#, "b"), Case(#"a=" b ""#, " b "), Case(#"a="b\\c\d""#, #"b\c\d"#), Case("a= @f.txt", "@f.txt"),
        Case("=b", "b", name: ""), Case("=b;filename=x", "b", #"; filename="x""#, name: ""),
        Case("a=b;filename=x.txt", "b", #"; filename="x.txt""#, type: "text/plain"),
        Case("a=b;filename=x.PDF", "b", #"; filename="x.PDF""#, type: "application/pdf"),
        Case("a=b;filename=x.json", "b", #"; filename="x.json""#),
        Case("a=b; filename= x.txt ;type= text/x ", "b", #"; filename="x.txt""#, type: "text/x"),
        Case(#"a=b;filename="x"#, "b", #"; filename="%22x""#),
        Case(#"a="b" ;filename="x.htm""#, "b", #"; filename="x.htm""#, type: "text/html"),
        Case(
            "a=b;type=text/plain; charset=utf-8 ;filename=y",
            "b",
            #"; filename="y""#,
            type: "text/plain; charset=utf-8"
        ),
    ]

    static let files = [
        Case("a=@ f.txt ", "line\n", #"; filename="f.txt""#, type: "text/plain"),
        Case("a=@f.json", "{}", #"; filename="f.json""#, type: "application/octet-stream"),
        Case("a=@f.json;filename=x.txt", "{}", #"; filename="x.txt""#, type: "text/plain"),
        Case("a=@f.txt;filename=x.bin", "line\n", #"; filename="x.bin""#, type: "text/plain"),
        Case("=@f.txt", "line\n", #"; filename="f.txt""#, type: "text/plain", name: ""),
        Case("a=<f.txt;filename=z", "line\n"), Case("a=< f.txt ", "line\n"),
    ]

    @Test(.bug(id: "F259"), arguments: texts + files)
    func `a word of curl -F makes the part that it makes in curl`(_ example: Case) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("f.txt", "line\n")
        _ = try folder.add("f.json", "{}")
        let program = Program(directory: folder.path)
        let result = try await program.run("--offline", "curl", "-F", example.word, "localhost")
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.contains(example.part), "\(result.output)")
    }

    @Test(.bug(id: "F259")) func `curl --form-string keeps blanks and quotes, and sends no name that is empty`()
        async throws
    {
        for example in [Case(#"a= "b" "#, #" "b" "#), Case("=b", "b", name: "")] {
            let result = try await Program().run("--offline", "curl", "--form-string", example.word, "localhost")
            #expect(result.output.contains(example.part), "\(result.output)")
        }
    }

    @Test(
        .bug(id: "F365"),
        arguments: [
            "a=@f;type=", "a=b;type=", "a=b;type=text", "a=b;type=/x", "a=b;type=x/;filename=y", "a=b;type=x y/z",
        ]
    )
    func `a type of curl -F that is no media type is refused, as by curl`(_ word: String) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.add("f", "line\n")
        let result = try await Program(directory: folder.path).run("--offline", "curl", "-F", word, "localhost")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("is no media type"), "\(result.errors)")
    }

    @Test(
        .bug(id: "F438"),
        arguments: [
            (["curl", "-F", "a=1", "-H"], "Content-Type: text/x", "Content-Type: text/x; boundary="),
            (["curl", "-F", "a=1", "-H"], "content-type: multipart/mixed", "content-type: multipart/mixed; boundary="),
            (["--multipart", "a=1"], "Content-Type:text/x", "Content-Type: text/x; boundary="),
        ]
    )
    func `a form has its boundary in whatever Content-Type is written`(
        _ words: [String],
        _ field: String,
        _ expected: String
    ) async throws {
        let words = words[0] == "curl" ? words + [field, "localhost"] : ["localhost"] + words + [field]
        let result = try await Program().run(["--offline"] + words)
        let head = result.output.components(separatedBy: "\r\n\r\n")[0] + "\r\n"
        let line = try #require(head.components(separatedBy: "\r\n").first { $0.hasPrefix(expected) }, "\(head)")
        #expect(result.output.contains("\r\n\r\n--\(line.dropFirst(expected.count))\r\n"), "\(result.output)")
    }

    @Test(.bug(id: "F704")) func `a form whose Content-Type is taken back is refused`() async throws {
        let result = try await Program().run("--offline", "curl", "-F", "a=1", "-H", "Content-Type:", "localhost")
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("a form without its Content-Type"), "\(result.errors)")
        let both = ["-H", "Content-Type:", "-H", "Content-Type: text/x"]
        let written = try await Program().run(["--offline", "curl", "-F", "a=1"] + both + ["localhost"])
        #expect(written.ending == .exited(0), "\(written.errors)")
    }

    @Test(.bug(id: "F746"), arguments: [["-F", "c=d"], ["-T", "f.txt"]])
    func `data of curl -G beside another body is refused`(_ words: [String]) async throws {
        let result = try await Program().run(["curl", "-G", "-d", "a=b"] + words + ["localhost"])
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains("more than one kind of request"), "\(result.errors)")
    }
}
