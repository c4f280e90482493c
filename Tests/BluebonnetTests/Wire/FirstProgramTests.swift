// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Logging
import NIOCore
import Synchronization
import Testing

private struct User: Codable, Equatable, Sendable {
    var id: Int?
    var firstName: String
}

private struct Problem: Codable, Sendable { var errorText: String }

/// What the first program of thirty lines did.
private struct Outcome {
    var users: [User] = []
    var ada: User?
    var progress: [Double] = []
    var streamedByteCount = 0
    var problem: String?
}

/// A first program, with nothing in it that the README does not show.
private func runFirstProgram(
    _ base: String,
    file: URL,
    logger: Logger,
    page: Int,
    name: String?
) async throws -> Outcome {
    var outcome = Outcome()
    var configuration = Session.Configuration()
    configuration.observers = [.logging(logger, style: .cURL)]
    var api = try HTTPSession(base, configuration: configuration)
    api.decoder.keys = .snakeCase
    api.encoder.keys = .snakeCase
    outcome.users = try await api.get("users", parameters: ["page": page, "name": name], as: [User].self)

    api.requestSerializer = .json
    outcome.ada = try await api.post("users", parameters: User(firstName: "Ada"), as: User.self)

    let progress = Mutex<[Double]>([])
    try await api.put("files/a", body: .file(file)) { step in
        progress.withLock { $0.append(step.fraction ?? 0) }
    }
    outcome.progress = progress.withLock { $0 }

    let stream = try await api.stream("rows", validation: ResponseValidation(contentTypes: ["text/csv"]))
    for try await buffer in stream.body { outcome.streamedByteCount += buffer.readableBytes }

    do {
        _ = try await api.get("users/2", as: User.self)
    } catch let error as SessionError {
        if error.code == .unacceptableStatus { outcome.problem = try error.decode(Problem.self).errorText }
    }
    return outcome
}

@Suite(.timeLimit(.minutes(1))) struct FirstProgramTests {
    @Test func `a first program of thirty lines does what the README says`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("a.txt")
        try Data("field of bluebonnets".utf8).write(to: file)
        let log = Recorder<RecordingLogHandler.Record>()
        let logger = log.logger(level: .debug)
        try await TestServer.withServer { server in
            server.enqueue(.json(#"[{"id":1,"first_name":"Grace"}]"#), .json(#"{"id":2,"first_name":"Ada"}"#))
            server.enqueue(ScriptedResponse(status: .noContent))
            server.enqueue(ScriptedResponse(headers: [.contentType: "text/csv"], body: .text("a,b\n1,2\n")))
            server.enqueue(.json(#"{"error_text":"gone"}"#, status: .gone))

            let outcome = try await runFirstProgram(server.url, file: file, logger: logger, page: 2, name: nil)

            #expect(outcome.users == [User(id: 1, firstName: "Grace")])
            #expect(outcome.ada == User(id: 2, firstName: "Ada"))
            #expect(outcome.progress.last == 1)
            #expect(outcome.streamedByteCount == 8)
            #expect(outcome.problem == "gone")
            var requests: [String] = []
            for _ in 0..<5 {
                let request = try await server.takeRequest()
                requests.append("\(request.method) \(request.target) \(request.bodyText)")
            }
            #expect(
                requests == [
                    "GET /users?page=2 ", #"POST /users {"first_name":"Ada"}"#, "PUT /files/a field of bluebonnets",
                    "GET /rows ", "GET /users/2 ",
                ]
            )
        }
        #expect(log.elements.filter { $0.message == "HTTP request as a command" }.count == 5)
    }
}
