// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluebonnetSerialization
import BluebonnetTesting

/// Runs the embedded server until it is interrupted.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the embedded server on this machine, to try things against.",
        usage: "bluebonnet serve [OPTIONS]",
        discussion: """
            It listens on the loopback address only. “GET /” lists what it answers.

            Examples:

              bluebonnet serve --port 8033
              bluebonnet serve --tls --root /tmp/root.pem
              bluebonnet serve --folder public
              bluebonnet serve --echo
              bluebonnet serve --fault reset
              bluebonnet serve --replay recorded.har
            """,
        helpNames: .long
    )

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The port to listen on; the system chooses one unless given.", valueName: "number")
    )
    var port = 0

    @Flag(name: .long, help: "Speak https, with a certificate of its own making.")
    var tls = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("With --tls: write the root certificate to this file, for --cacert.", valueName: "file"),
        completion: .file()
    )
    var root: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Answer with the files of this folder; downloads of them can be continued.",
            valueName: "path"
        ),
        completion: .directory
    )
    var folder: String?

    @Flag(
        name: .long,
        help: "Answer every request with what was received, as JSON; over HTTP/1.1, only methods that are registered."
    )
    var echo = false

    @Option(
        name: .long,
        help: ArgumentHelp("Let something go wrong with every response.", valueName: "kind")
    )
    var fault: ServedFault?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Answer as the exchanges in this HTTP archive, which --har or a browser has written.",
            valueName: "file"
        ),
        completion: .file()
    )
    var replay: String?
}

extension ServeCommand: ConsoleCommand {
    func run(on console: Console) async throws -> CommandStatus {
        guard (0...65535).contains(self.port) else {
            throw CommandFailure.usage("--port takes a number from 0 to 65535")
        }
        guard self.root == nil || self.tls else { throw CommandFailure.usage("--root belongs to --tls: add --tls") }
        guard [self.folder != nil, self.echo, self.fault != nil, self.replay != nil].count(where: { $0 }) <= 1 else {
            throw CommandFailure.usage("choose one of --folder, --echo, --fault and --replay")
        }
        let archive = try self.archive
        let handler = try archive.map(Self.replaying) ?? self.handler
        let server = try await self.start()
        if let handler { server.respond(with: handler) }
        do {
            try self.announce(server, archive, console)
            // Nothing ever comes; cancellation ends the wait.
            for await _ in AsyncStream<Never>(unfolding: { await Self.suspension() }) {}
            await server.shutdown()
            return .interrupted
        } catch {
            await server.shutdown()
            throw error
        }
    }

    /// What answers every request; nil for the server's own routes.
    private var handler: TestServer.Handler? {
        get throws(CommandFailure) {
            if let folder {
                let served = try ServedFolder(folder)
                return { served.response(to: $0) }
            }
            if let response = self.fault?.response { return { _ in response } }
            guard self.echo else { return nil }
            return { ServedEcho.response(to: $0) }
        }
    }

    private static func replaying(_ archive: ServedArchive) -> TestServer.Handler {
        { archive.response(to: $0) }
    }

    private var archive: ServedArchive? {
        get throws(CommandFailure) {
            guard let replay else { return nil }
            return try ServedArchive(replay)
        }
    }

    private func start() async throws -> TestServer {
        var configuration = TestServer.Configuration()
        configuration.port = self.port
        // Nobody takes the requests.
        configuration.untakenRequestLimit = 0
        // As much as an archive keeps of a body, so that bodies can be compared.
        if self.replay != nil { configuration.recordedBodyLimit = 4 * 1024 * 1024 }
        do {
            return try await TestServer.start(tls: self.tls ? TestServer.TLS() : nil, configuration: configuration)
        } catch let error as TestServerError {
            let hint = self.port == 0 ? "" : "; is the port taken? Leave out --port to get a free one"
            throw CommandFailure(.transport, "\(error.reason)\(hint)")
        }
    }

    private func announce(_ server: TestServer, _ archive: ServedArchive?, _ console: Console) throws {
        var roots = ""
        if let root {
            let file = try FileSink(path: root, option: "--root")
            try file.write(bytes: server.certificateAuthority.pem)
            roots = " --cacert \(ShellWord.quoted(try file.commit()))"
        }
        let exchanges = archive.map { ", with \($0.count) recorded \($0.count == 1 ? "exchange" : "exchanges")" } ?? ""
        let start = "Listening on \(server.url) until Ctrl-C\(exchanges)."
        if self.tls, self.root == nil {
            try console.output.write(
                """
                \(start) No client trusts its certificate yet: start it with --root FILE, and \
                give that file to the client with --cacert.

                """
            )
            return
        }
        let program = ShellWord.quoted(console.programPath)
        if let archive {
            let target = ShellWord.quoted(TerminalText.escapedLine(server.url + archive.firstTarget))
            try console.output.write("\(start) Try: \(program)\(roots) \(target)\n")
            return
        }
        guard self.folder == nil, !self.echo, self.fault == nil else {
            try console.output.write("\(start) Try: \(program)\(roots) \(server.url)\n")
            return
        }
        try console.output.write(
            """
            \(start) Try, in another terminal:

              \(program)\(roots) \(server.url)
              \(program)\(roots) \(server.url)/echo name=Ada age:=36
              \(program)\(roots) --download \(server.url)/bytes/1000000

            """
        )
    }

    private static func suspension() async -> Never? {
        try? await Task.sleep(for: .seconds(3600 * 24 * 365))
        return nil
    }
}
