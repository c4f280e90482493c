// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// The credentials that a command of curl sends, through the real program.
@Suite(.timeLimit(.minutes(1))) struct CurlCredentialTests {
    @Test(.bug(id: "F691"), arguments: ["--anyauth", "--basic", "--digest"])
    func `an Authorization field of -H takes the place of curl's credentials, whatever the server asks for`(
        _ option: String
    ) async throws {
        try await TestServer.withServer { server in
            let challenge: HTTPFields = [.wwwAuthenticate: #"Basic realm="r""#]
            server.enqueue(ScriptedResponse(status: .unauthorized, headers: challenge, body: "who?"))
            let words = ["curl", option, "-u", "ada:secret", "-H", "Authorization: Bearer token", server.url + "/a"]
            let result = try await Program().run(words)
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.output == "who?")
            #expect(try await server.takeRequest().headers[values: .authorization] == ["Bearer token"])
            #expect(server.untakenRequestCount == 0)
        }
    }

    @Test(.bug(id: "F692"), arguments: [["curl"], []])
    func `user information with an empty user is sent as it is written`(_ words: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(ScriptedResponse(body: ""))
            let result = try await Program().run(words + [":secret@127.0.0.1:\(server.port)/a"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            let expected = "Basic " + Data(":secret".utf8).base64EncodedString()
            #expect(try await server.takeRequest().headers[values: .authorization] == [expected])
        }
    }
}
