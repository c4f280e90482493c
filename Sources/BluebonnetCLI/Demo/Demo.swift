// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials

/// The demonstration, with its stages, servers and temporary folder.
struct Demo {
    let byteCount: Int64
    let console: Console

    /// Runs all stages.
    ///
    /// - Returns: `success` if every check passed.
    /// - Throws: `CommandFailure` if it cannot begin; `CancellationError` if the task is cancelled. In any case, the
    ///   folder is removed.
    func run() async throws -> CommandStatus {
        let folder = try DemoFolder(console)
        defer { folder.remove() }
        let plain = try await TestServer.start()
        let secure = try await TestServer.start(tls: TestServer.TLS())
        do {
            let status = try await self.run(plain: plain, secure: secure, folder: folder)
            await plain.shutdown()
            await secure.shutdown()
            return status
        } catch {
            await plain.shutdown()
            await secure.shutdown()
            throw error
        }
    }

    private func run(plain: TestServer, secure: TestServer, folder: DemoFolder) async throws -> CommandStatus {
        var report = DemoReport(console: self.console)
        try report.begin(byteCount: self.byteCount)
        try report.show(await WireSamples(folder: folder, console: self.console).all())
        let file = try await folder.makeFile(byteCount: self.byteCount, console: self.console)
        var environment = DemoEnvironment(file: file, folder: folder, console: self.console)

        try report.section("Over HTTP, \(plain.url)")
        let http = HTTPSession(baseURL: URL(string: plain.url), transport: NIOTransport(configuration: .loopback))
        try await report.run(SmallSteps(api: http).all)
        try await report.run(LargeSteps(api: http, environment: environment).all)
        try await report.run([KillStep(server: plain, environment: environment).step])

        try report.section("Over TLS, \(secure.url)")
        try await report.run([TrustSteps(url: secure.url).refusal])
        var configuration = NIOTransport.Configuration.loopback
        configuration.tls.additionalRoots = [.pem(secure.certificateAuthority.pem)]
        let https = HTTPSession(baseURL: URL(string: secure.url), transport: NIOTransport(configuration: configuration))
        environment.isSecure = true
        try await report.run([TrustSteps.timing(port: secure.port, configuration: configuration)])
        try await report.run([SmallSteps(api: https).get])
        try await report.run(LargeSteps(api: https, environment: environment).all)

        try report.section("What a session does by itself")
        try await report.run(PolicySteps(server: plain, secure: secure).all)
        let pictures = PictureStep(api: http, server: plain, console: self.console)
        try await report.run([pictures.fetch])
        try await pictures.show()

        try report.section("When something goes wrong, as you would see it")
        try await report.run(ErrorSteps(server: plain, secure: secure, folder: folder, console: self.console).all)

        await http.session.transport.shutdown()
        await https.session.transport.shutdown()
        try report.end()
        return report.failureCount == 0 ? .success : .transport
    }
}

/// The common environment of the steps with large bodies.
struct DemoEnvironment: Sendable {
    /// The file that is sent.
    var file: DemoFile

    /// The folder for received files.
    var folder: DemoFolder

    /// The console on which progress is shown.
    var console: Console

    /// Whether the connections use TLS.
    var isSecure = false
}
