// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// The real program with words, variables and files that a script gets wrong.
@Suite(.timeLimit(.minutes(1))) struct ClumsyUseTests {
    @Test(
        .bug(id: "F162"),
        arguments: [
            (["", "localhost"], "the first word is empty"),
            (["--output", "", "localhost"], "the path of a file is empty: name a file with --output"),
            (["--download", "--output=", "localhost"], "name a file with --output"),
            (["--har", "", "localhost"], "name a file with --har"),
            (["curl", "-D", "none/x", "localhost"], "choose another place with --dump-header"),
            (["serve", "--tls", "--root", "none/x"], "choose another place with --root"),
            (
                ["http://localhost:1:/x"],
                "“localhost:1:” has more than one colon: write the host, one colon and the port"
            ),
            (["1:2:3:4:5:6:7:8"], "write an IPv6 address in brackets, “[1:2:3:4:5:6:7:8]”"),
            (["fe80::1%eth0"], "has a zone, “%eth0”, which is not supported"),
            (["http://[fe80::1%25eth0]:80/"], "has a zone, “%25eth0”, which is not supported"),
            (["http:127.0.0.1:1/x"], "did you mean “http://127.0.0.1:1/x”?"),
        ]
    )
    func `a mistake is explained by what is wrong`(_ words: [String], _ explanation: String) async throws {
        let folder = try TemporaryFolder()
        let result = try await Program(directory: folder.path).run(words)
        #expect(result.ending == .exited(1))
        #expect(result.errors.contains(explanation), "\(result.errors)")
        #expect(result.errors.count { $0 == "\n" } == 1)
        #expect(folder.names.isEmpty)
    }

    @Test(.bug(id: "F163")) func `output to a descriptor that is closed is an error`() async throws {
        try await TestServer.withServer { server in
            let program = Program(preparation: "exec >&-")
            for words in [[server.url + "/json"], ["--help"], ["--offline", "localhost"]] {
                let result = try await program.run(words)
                #expect(result.ending == .exited(1), "\(words)")
                #expect(result.errors.contains("cannot write to standard output: "), "\(result.errors)")
            }
            #expect(try await program.run("--quiet", server.url + "/json").ending == .exited(0))
        }
    }

    @Test(.bug(id: "F164")) func `a home folder that is empty or not UTF-8 is none`() async throws {
        let folder = try TemporaryFolder()
        for home in ["export HOME=", "export HOME=\"$(printf '\(folder.path)/\\377')\""] {
            let result = try await Program(preparation: home).run("--session", "x", "--offline", "localhost")
            #expect(result.ending == .exited(1))
            #expect(result.errors.contains("there is no folder for sessions: set HOME"), "\(result.errors)")
        }
        #expect(folder.names.isEmpty)
    }

    @Test(.bug(id: "F165"), arguments: [["-d"], ["-d", "-o", "x"], ["-o", "x"], ["curl", "-O"]])
    func `a file that may not grow further is an error, and nothing is left`(_ options: [String]) async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path, preparation: "ulimit -f 100")
            let result = try await program.run(options + [server.url + "/bytes/1000000"])
            #expect(result.ending == .exited(1))
            #expect(result.errors.contains("error: cannot write “"), "\(result.errors)")
            #expect(result.errors.hasSuffix("; choose another place with --output\n"), "\(result.errors)")
            #expect(!result.errors.contains(".bluebonnet-"), "\(result.errors)")
            #expect(folder.names.isEmpty)
        }
    }

    @Test(.bug(id: "F165")) func `a note says what is kept where a file may not grow further`() async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(headers: [.eTag: "\"v1\""], body: .pattern(1_000_000)))
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path, preparation: "ulimit -f 1000")
            let result = try await program.run("--download", "--continue", "--output=x", server.url + "/x")
            #expect(result.ending == .exited(1))
            #expect(result.errors.contains("are kept; the same command goes on from there\n"), "\(result.errors)")
            let partial = try #require(folder.bytes(".x.bluebonnet-part"))
            #expect(partial == PatternBytes.bytes(in: 0..<Int64(partial.count)))
        }
    }
}
