// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Carries out the transfers of a command of curl, one after the other.
struct CurlRun {
    let transfers: CurlTransfers
    let console: Console

    /// Carries out every transfer; one that fails is reported, and does not keep the next from being carried out.
    ///
    /// - Returns: What the last transfer ends with, as in curl.
    /// - Throws: `CommandFailure` if the command is wrong, before anything is sent; `CancellationError`.
    func run() async throws -> CommandStatus {
        // Every transfer is checked before the first is carried out.
        let groups = try self.transfers.groups.map { group in
            try group.map { words in
                let command = try CommandLineTool.command(for: words.words, on: self.console)
                if let request = command as? RequestCommand { try request.check() }
                return (command, words.changes)
            }
        }
        var status = CommandStatus.success
        for group in groups {
            var connections = CurlConnections(count: group.count)
            do {
                for (command, changes) in group {
                    status = try await self.run(command, changes, &connections)
                    if status == .outputClosed || self.transfers.failsEarly && status != .success { break }
                }
            } catch {
                await connections.close()
                throw error
            }
            await connections.close()
            if status == .outputClosed || self.transfers.failsEarly && status != .success { break }
        }
        return status
    }

    private func run(
        _ command: any ConsoleCommand,
        _ changes: CurlChanges,
        _ connections: inout CurlConnections
    ) async throws -> CommandStatus {
        guard let request = command as? RequestCommand else { return try await command.run(on: self.console) }
        do {
            return try await request.run(on: self.console, changing: changes, over: &connections)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            if Task.isCancelled { throw CancellationError() }
            return CommandLineTool.report(error, on: self.console, isOfCurl: true)
        }
    }
}
