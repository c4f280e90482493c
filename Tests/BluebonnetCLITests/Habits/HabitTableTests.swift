// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetCLI

/// Holds the command line against what HTTPie does with the same words.
@Suite(.timeLimit(.minutes(5))) struct HabitTableTests {
    @Test(arguments: try HabitGroup.all())
    func `the words of HTTPie do what they do there, or what the table says`(_ group: HabitGroup) async throws {
        // Parsing a command line takes long without optimisation: every processor does it.
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for habit in group.habits { tasks.addTask { try await HabitRun(habit).check() } }
            try await tasks.waitForAll()
        }
    }

    @Test func `what differs from HTTPie is explained, and nothing else is`() throws {
        let habits = try HabitGroup.all().flatMap(\.habits)
        #expect(habits.count > 176)
        for habit in habits { #expect((habit.here == nil) == (habit.why == nil), "\(habit.arguments)") }
    }
}

/// One habit, carried out in a console in memory against a server on loopback.
private struct HabitRun {
    let habit: Habit

    init(_ habit: Habit) {
        self.habit = habit
    }

    /// Fields that every client sends as it likes.
    private static let ignored: Set<String> = [
        "user-agent", "accept-encoding", "connection", "host", "content-length", "date", "transfer-encoding",
        "keep-alive", "proxy-connection",
    ]

    func check() async throws {
        let folder = try TemporaryFolder()
        try self.fill(folder)
        try await TestServer.withServer { server in
            server.respond { HabitServer.response(to: $0, port: server.port) }
            if let before = self.habit.before {
                _ = await self.run(before, server, folder)
                while server.untakenRequestCount > 0 { _ = try await server.takeRequest() }
            }
            let (status, test) = await self.run(self.habit.arguments, server, folder)
            let expected = self.habit.expected
            let comment = Comment(rawValue: "\(self.habit.arguments): \(test.errors.text)")
            #expect(status.rawValue == expected.exit, comment)
            var received: [Habit.Message] = []
            if self.habit.arguments.contains("--offline") {
                if status == .success { received.append(Self.printed(test.output.text)) }
            } else {
                while server.untakenRequestCount > 0 { received.append(Self.message(try await server.takeRequest())) }
            }
            #expect(received.count == expected.sent.count, comment)
            for (one, other) in zip(received, expected.sent) { self.compare(one, other, server, folder) }
        }
    }

    private func fill(_ folder: TemporaryFolder) throws {
        _ = try folder.add("line.txt", "a line")
        _ = try folder.add("data.json", #"{"x": [1, 2]}"#)
        let pixel =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg=="
        try Data(base64Encoded: pixel)?.write(to: URL(filePath: folder.path + "/photo.png"))
        let netrc = try folder.add("netrc", "machine 127.0.0.1 login ada password secret\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: netrc)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/configuration",
            withIntermediateDirectories: false
        )
        guard let configuration = self.habit.configuration else { return }
        let text = String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self)
        _ = try folder.add("configuration/config.json", text)
    }

    private func run(
        _ words: [String],
        _ server: TestServer,
        _ folder: TemporaryFolder
    ) async -> (CommandStatus, TestConsole) {
        func filled(_ text: String) -> String {
            text.replacing("{url}", with: "http://127.0.0.1:\(server.port)")
                .replacing("{port}", with: "\(server.port)").replacing("{folder}", with: folder.path)
        }
        var environment = ["HOME": folder.path, "LANG": "C.UTF-8"]
        environment["BLUEBONNET_CONFIG_DIR"] = folder.path + "/configuration"
        for (name, value) in self.habit.environment ?? [:] { environment[name] = filled(value) }
        let input: any InputSource = self.habit.stdin.map { PipedText($0) } ?? EmptySource()
        let test = TestConsole(environment: environment, input: input, directory: folder.path)
        return (await test.run(words.map(filled)), test)
    }

    private func compare(
        _ one: Habit.Message,
        _ other: Habit.Message,
        _ server: TestServer,
        _ folder: TemporaryFolder
    ) {
        let comment = Comment(rawValue: "\(self.habit.arguments)")
        func clean(_ text: String) -> String {
            text.replacing("127.0.0.1:\(server.port)", with: "HOST").replacing("localhost:\(server.port)", with: "HOST")
                .replacing(folder.path, with: "FOLDER")
        }
        #expect(clean(one.line) == other.line, comment)
        #expect(one.chunked == other.chunked, comment)
        let fields = one.fields.map { "\($0[0]): \(clean($0[1]))" }.sorted()
        let expected = other.fields.map { "\($0[0]): \($0[1])" }.filter { !$0.hasPrefix("x-host: ") }.sorted()
        #expect(fields == expected, comment)
        // Bytes of a form have another digest each time, because the boundary is another one.
        if other.body.hasPrefix("sha256:"), fields.contains(where: { $0.contains("boundary=") }) { return }
        #expect(Self.isSame(clean(one.body), other.body), "\(self.habit.arguments): \(one.body) and \(other.body)")
    }

    /// Whether two bodies are the same text, or the same JSON.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        func value(_ text: String) -> NSObject? {
            try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) as? NSObject
        }
        if one == other { return true }
        guard let left = value(one), let right = value(other) else { return false }
        return left.isEqual(right)
    }

    private static func message(_ request: RecordedRequest) -> Habit.Message {
        let text = String(validating: request.body, as: UTF8.self) ?? "sha256:\(request.bodySHA256)"
        return self.message(
            line: "\(request.method) \(request.target)",
            fields: request.headers.map { ($0.name.rawName, $0.value) },
            body: text
        )
    }

    private static func message(line: String, fields: [(String, String)], body: String) -> Habit.Message {
        var (body, kept) = (body, [[String]]())
        for (name, value) in fields {
            let (name, value) = (name.lowercased(), value.trimmingCharacters(in: .whitespaces))
            if self.ignored.contains(name) { continue }
            guard name == "content-type", let mark = value.range(of: "boundary=") else {
                kept.append([name, self.digest(name, value)])
                continue
            }
            let boundary = value[mark.upperBound...].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            kept.append([name, value.replacing(boundary, with: "BOUNDARY")])
            body = body.replacing(boundary, with: "BOUNDARY")
        }
        let isChunked = fields.contains { $0.0.lowercased() == "transfer-encoding" }
        return Habit.Message(line: line, fields: kept, body: body, chunked: isChunked)
    }

    /// The parts of Digest credentials that do not change from one time to the next.
    private static func digest(_ name: String, _ value: String) -> String {
        guard name == "authorization", value.hasPrefix("Digest ") else { return value }
        let parts = value.matches(of: /\b(?:username|realm|nonce|uri|qop|nc)="?[^",]*/).map {
            $0.output.replacing("\"", with: "")
        }
        return "Digest " + parts.sorted().joined(separator: " ")
    }

    /// The request that `--offline` has printed.
    private static func printed(_ text: String) -> Habit.Message {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
        let lines = (parts.first ?? "").split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        let fields = lines.dropFirst().map { line in
            let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(pair[0]), pair.count > 1 ? String(pair[1]) : "")
        }
        return self.message(
            line: words.prefix(2).joined(separator: " "),
            fields: fields,
            body: parts.count > 1 ? String(parts[1]) : ""
        )
    }
}
