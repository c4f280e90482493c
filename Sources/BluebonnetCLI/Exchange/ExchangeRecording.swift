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

/// A recording of the command's exchanges in an HTTP archive: `--har`.
struct ExchangeRecording {
    private static let option = "--har"

    /// The absolute or relative path of the archive.
    let path: String

    /// The console for notes.
    let console: Console

    /// Creates a recording after checking that the archive can be written, before anything is sent.
    ///
    /// - Parameters:
    ///   - path: The path of the archive.
    ///   - console: The console for notes.
    /// - Throws: `CommandFailure` if the archive cannot be written.
    init(path: String, console: Console) throws(CommandFailure) {
        let target = try OutputFile.replaceableTarget(of: path, option: Self.option)
        let isWritable =
            if let location = target.flatMap(FileLocation.init(path:)) {
                access(location.directory, W_OK | X_OK) == 0
            } else {
                // The target of a dangling link is created.
                access(path, W_OK) == 0 || errno == ENOENT
            }
        guard isWritable else {
            throw OutputFile.failure(SystemError(.create, errno), path, option: Self.option)
        }
        self.path = path
        self.console = console
    }

    /// Runs code with a session whose exchanges are recorded, and writes the archive, even if the code fails.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session.
    ///   - engine: The configuration of the engine.
    ///   - body: The code to run.
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
            // The error of the exchange is more informative than that of the archive.
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
