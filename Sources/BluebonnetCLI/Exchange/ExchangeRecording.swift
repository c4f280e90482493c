// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes the exchanges of a command into an archive: `--har`.
struct ExchangeRecording {
    private static let option = "--har"

    /// The absolute or relative path of the archive.
    let path: String

    /// Where notes go.
    let console: Console

    /// Checks that the archive can be written, before anything is sent.
    ///
    /// - Parameters:
    ///   - path: The path of the archive.
    ///   - console: Where notes go.
    /// - Throws: `CommandFailure` if it cannot.
    init(path: String, console: Console) throws(CommandFailure) {
        let target = try OutputFile.replaceableTarget(of: path)
        let isWritable =
            if let location = target.flatMap(FileLocation.init(path:)) {
                access(location.directory, W_OK | X_OK) == 0
            } else {
                // A link that leads nowhere becomes a file.
                access(path, W_OK) == 0 || errno == ENOENT
            }
        guard isWritable else {
            throw OutputFile.failure(SystemError(.create, errno), path, option: Self.option)
        }
        self.path = path
        self.console = console
    }

    /// Runs a piece of code with a session whose exchanges are recorded, and writes them down, also when it fails.
    ///
    /// - Parameters:
    ///   - configuration: How the session behaves.
    ///   - engine: How the engine connects.
    ///   - body: What to do with the session.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; `CommandFailure` if the archive cannot be written.
    func run<Result>(
        _ configuration: Session.Configuration,
        _ engine: NIOTransport.Configuration,
        _ body: (Session) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        configuration.engine = nil
        let recorder = RecordingTransport(wrapping: NIOTransport(configuration: engine))
        let result: Result
        do {
            result = try await Session.withSession(configuration: configuration, transport: recorder, body)
        } catch {
            await recorder.shutdown()
            // The failure of the exchange says more than one of the archive.
            try? self.write(recorder.archive)
            throw error
        }
        await recorder.shutdown()
        try self.write(recorder.archive)
        return result
    }

    private func write(_ archive: HTTPArchive) throws {
        var output = try OutputFile.open(self.path, option: Self.option, isPrivate: true)
        try archive.serialized().withUnsafeBytes { bytes in
            Result { () throws(CommandFailure) in try output.write(bytes) }
        }.get()
        try output.commit()
        let count = archive.entries.count
        self.console.report(
            "note",
            "\(count) \(count == 1 ? "exchange" : "exchanges") recorded in “\(self.path)”, without secrets"
        )
    }
}
