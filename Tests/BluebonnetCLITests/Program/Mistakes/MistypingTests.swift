// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What the real program suggests for words that are mistyped: what is meant, or nothing.
@Suite(.timeLimit(.minutes(1))) struct MistypingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var line: String
        /// A part of the message; nil where nothing may be suggested.
        var advice: String?

        init(_ line: String, _ advice: String?) {
            self.line = line
            self.advice = advice
        }

        var testDescription: String { self.line }
    }

    private static let subcommands = [
        Case("server --port 1234", "write “bluebonnet serve --port 1234”"),
        Case("sevre --tls", "write “bluebonnet serve --tls”"),
        Case("serv --foldr public", "write “bluebonnet serve --foldr public”"),
        Case("Server -p 8080", "write “bluebonnet serve -p 8080”"),
        Case("dmeo --size 3", "write “bluebonnet demo --size 3”"),
        Case("crul -L http://u:p@localhost", "write “bluebonnet curl -L 'http://…@localhost'”"),
        Case("--port 1234 serve", "write “bluebonnet serve --port 1234”"),
        Case("--folder public", "it is an option of “bluebonnet serve”"),
        Case("serve --prot 1234", "did you mean “--port”?"),
        Case("serve --fol public", "did you mean “--folder”?"),
        Case("serve --r x", "did you mean “--root” or “--replay”?"),
        Case("serve -port 1234", "did you mean “--port”?"),
        Case("serve --hepl", "did you mean “--help”?"),
        Case("serve -h", "did you mean “--help”?"),
        Case("serve 8080", "write --port 8080"),
        Case("serve ./public", "write --folder ./public"),
        Case("serve x.har", "write --replay x.har"),
        Case("serve --form", "it is one of a request"),
        Case("serve --xyz", nil),
        Case("serve public", nil),
        Case("demo --siez 3", "did you mean “--size”?"),
        Case("demo 3", "write --size 3"),
        Case("manual --wide", nil),
    ]

    private static let requests = [
        Case("get --hepl", "did you mean “--help”?"),
        Case("--verison", "did you mean “--version”?"),
        Case("--fromat x localhost", nil),
        Case("--tmieout 3 localhost", "did you mean “--timeout”?"),
        Case("--timout=3 localhost", "did you mean “--timeout”?"),
        Case("--max_time 3 localhost", "did you mean “--max-time”?"),
        Case("--JSON localhost", "did you mean “--json”?"),
        Case("--quite localhost", "did you mean “--quiet”?"),
        Case("--sha265 x localhost", "did you mean “--sha256”?"),
        Case("--o x localhost", "did you mean “--offline” or “--output”?"),
        Case("--no-folow localhost", "did you mean “--no-follow”?"),
        Case("--nofollow localhost", "did you mean “--no-follow”?"),
        Case("-output x localhost", "write --output"),
        Case("-verbsoe localhost", "did you mean “--verbose”?"),
        Case("-tiemout 3 localhost", "did you mean “--timeout”?"),
        Case("—json localhost", "write --json"),
        Case("–v localhost", "write -v"),
        Case("--generate-completion bash", "did you mean “--generate-completion-script”?"),
    ]

    private static let others = [
        Case("--locatoin localhost", "--location is not an option: write --follow"),
        Case("--insecrue localhost", "--cacert FILE"),
        Case("-request PUT localhost", "--request is not an option: write the method"),
        Case("-data a=1 localhost", "--data is not an option"),
        Case("--http3 localhost", "HTTP/3 is not spoken"),
        Case("--https localhost", nil),
        Case("--accept text/html localhost", nil),
        Case("--method PUT localhost", nil),
        Case("--port-range 3 localhost", nil),
        Case("-Q localhost", nil),
        Case("curl --fial localhost", "did you mean “--fail”?"),
        Case("curl --crlf localhost", nil),
    ]

    @Test(.bug(id: "F158"), arguments: Self.subcommands + Self.requests + Self.others)
    func `a mistyped word gets the advice that helps, or none`(_ test: Case) async throws {
        let result = try await Program().run(test.line.split(separator: " ").map(String.init))
        #expect(result.ending == .exited(1))
        #expect(result.errors.hasPrefix("bluebonnet: error: ") && result.errors.count { $0 == "\n" } == 1)
        if let advice = test.advice {
            #expect(result.errors.contains(advice), "\(result.errors)")
        } else {
            #expect(!result.errors.contains("mean") && !result.errors.contains("write"), "\(result.errors)")
        }
    }

    @Test(.bug(id: "F158"), arguments: [("sevre", "serve"), ("dmeo", "demo"), ("crul", "curl"), ("Serv", "serve")])
    func `a host that does not exist may be a mistyped command`(_ word: String, _ command: String) async throws {
        let result = try await Program().run(word)
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("if the command is meant, write “bluebonnet \(command)”"), "\(result.errors)")
    }
}
