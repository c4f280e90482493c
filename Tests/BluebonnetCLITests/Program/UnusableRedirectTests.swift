// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// Redirects that were to be followed, and cannot be.
@Suite(.timeLimit(.minutes(1))) struct UnusableRedirectTests {
    /// Locations, and what is said of them.
    struct Case: Sendable, CustomTestStringConvertible {
        var locations: [String]
        var explanation: String
        var testDescription: String { self.locations.joined(separator: ", ") }

        var response: ScriptedResponse {
            var response = ScriptedResponse(status: .found, body: "moved")
            for location in self.locations {
                response.headers.append(HTTPField(name: .location, value: location))
            }
            return response
        }
    }

    static let cases = [
        Case(locations: ["/o\tk"], explanation: "its Location is not a valid URL"),
        Case(locations: ["http:///ok"], explanation: "its Location is not a valid URL"),
        Case(locations: ["http:/ok"], explanation: "its Location is not a valid URL"),
        Case(locations: ["127.0.0.1:8080/ok"], explanation: "its Location is not a valid URL"),
        Case(locations: ["/a", "/b"], explanation: "several Location fields"),
        Case(locations: ["ftp://127.0.0.1/"], explanation: "only http and https are followed"),
        Case(locations: ["FILE:///etc/hostname"], explanation: "leads to a URL of “FILE”"),
    ]

    @Test(.bug(id: "F744"), arguments: Self.cases, [["-o", "f"], ["-O"], ["-f", "-o", "f"], ["-C", "-", "-O"]])
    func `curl -L fails at a redirect that cannot be followed, and saves nothing`(
        _ example: Case,
        _ options: [String]
    ) async throws {
        try await TestServer.withServer { server in
            server.enqueue(example.response)
            let folder = try TemporaryFolder()
            let program = Program(directory: folder.path)
            let result = try await program.run(["curl", "-sSL"] + options + [server.url + "/f"])
            #expect(result.ending == .exited(2))
            #expect(result.errors.hasPrefix("bluebonnet: error: the redirect "), "\(result.errors)")
            #expect(result.errors.contains(example.explanation), "\(result.errors)")
            #expect(result.output.isEmpty)
            #expect(folder.names.isEmpty)
        }
    }

    @Test(.bug(id: "F744"), arguments: Self.cases)
    func `a redirect that --follow cannot follow is printed with a warning`(_ example: Case) async throws {
        try await TestServer.withServer { server in
            server.enqueue(example.response)
            let result = try await Program().run("--follow", server.url + "/a")
            #expect(result.ending == .exited(0))
            #expect(result.output == "moved")
            #expect(result.errors.hasPrefix("bluebonnet: warning: the redirect "), "\(result.errors)")
            #expect(result.errors.contains(example.explanation), "\(result.errors)")
        }
    }

    @Test(.bug(id: "F744")) func `a redirect after too long a time is printed with a warning`() async throws {
        try await TestServer.withServer { server in
            let headers: HTTPFields = [.location: "/b", .retryAfter: "1000"]
            server.enqueue(ScriptedResponse(status: .found, headers: headers, body: "moved"))
            let result = try await Program().run("--follow", server.url + "/a")
            #expect(result.output == "moved")
            let warning = "bluebonnet: warning: the redirect was not followed: its Retry-After"
            #expect(result.errors.hasPrefix(warning), "\(result.errors)")
        }
    }

    @Test(
        .bug(id: "F744"),
        arguments: [["curl", "-sSL"], ["--follow"], ["curl", "-sS"]],
        [[], [""]] as [[String]]
    )
    func `a redirect without a Location is a response like any other`(
        _ words: [String],
        _ locations: [String]
    ) async throws {
        try await TestServer.withServer { server in
            server.enqueue(Case(locations: locations, explanation: "").response)
            let result = try await Program().run(words + [server.url + "/a"])
            #expect(result.ending == .exited(0))
            #expect(result.output == "moved")
            #expect(result.errors.isEmpty, "\(result.errors)")
        }
    }
}
