// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

/// Options of the real program that no other suite uses, by what the server gets or what is printed.
@Suite(.timeLimit(.minutes(1))) struct OptionTests {
    @Test(arguments: [
        (["--parameters", #"{"a": [1, 2.50]}"#], "application/json", #"{"a":[1,2.5]}"#),
        (["--form", "--parameters", #"{"a": "b c"}"#], "application/x-www-form-urlencoded", "a=b%20c"),
        (["--plist", "--parameters", #"{"a": true}"#], "application/x-plist", "<key>a</key>\n\t<true/>"),
    ])
    func `a document in place of items becomes the body`(
        _ options: [String],
        _ mediaType: String,
        _ body: String
    ) async throws {
        try await TestServer.withServer { server in
            let result = try await Program().run(options + [server.url + "/echo"])
            #expect(result.ending == .exited(0), "\(result.errors)")
            let request = try await server.takeRequest()
            #expect(request.method == .post)
            #expect(request.headers[.contentType]?.hasPrefix(mediaType) == true, "\(request.headers)")
            #expect(request.bodyText.contains(body), "\(request.bodyText)")
        }
    }

    @Test func `items become a property list`() async throws {
        try await TestServer.withServer { server in
            let result = try await Program().run("--plist", "PUT", server.url + "/echo", "volume:=0.5", "name=Ada")
            #expect(result.ending == .exited(0), "\(result.errors)")
            let request = try await server.takeRequest()
            let list = try PropertyListSerialization.propertyList(from: Data(request.body), format: nil)
            #expect(list as? NSDictionary == ["volume": 0.5, "name": "Ada"])
        }
    }

    @Test(arguments: [
        (["--sorted"], ["a", "b"]), (["--unsorted"], ["b", "a"]), (["--sorted", "--unsorted"], ["b", "a"]),
        (["--unsorted", "--sorted"], ["a", "b"]),
    ])
    func `the last of two options says whether keys are sorted`(_ options: [String], _ keys: [String]) async throws {
        try await TestServer.withServer { server in
            server.enqueue(.json(#"{"b":1,"a":2}"#))
            let result = try await Program().run(options + ["--pretty=format", server.url])
            #expect(result.output.split(separator: "\"").filter { $0.count == 1 }.map { String($0) } == keys)
        }
    }

    @Test func `the roots of --verify are the only ones`() async throws {
        try await TestServer.withServer(tls: TestServer.TLS()) { server in
            let folder = try TemporaryFolder()
            let other = try CertificateAuthority(commonName: "another authority")
            let root = try folder.add("root.pem", String(decoding: server.certificateAuthority.pem, as: UTF8.self))
            let wrong = try folder.add("other.pem", String(decoding: other.pem, as: UTF8.self))
            for (options, status) in [
                (["--verify", root], Int32(0)), (["--verify", wrong], 2), (["--verify=yes", "--cacert", root], 0),
                (["--verify", wrong, "--cacert", root], 0),
            ] {
                // In place of the roots of the environment, too.
                let program = Program(environment: ["SSL_CERT_FILE": status == 2 ? root : wrong])
                let result = try await program.run(options + ["--check-status", server.url])
                #expect(result.ending == .exited(status), "\(options): \(result.errors)")
            }
        }
    }
}
