// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation

/// Adds downloads to a queue, or processes the queue; both can be killed at any time and started again.
///
///     swift run transfer-queue downloads add https://example.com/image.iso image.iso
///     swift run transfer-queue downloads
@main
struct RunTransfers {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if let folder = arguments.first, arguments.count == 1 {
                let failures = try await Self.run(URL(filePath: folder))
                exit(failures == 0 ? 0 : 1)
            } else if arguments.count >= 4, arguments.count.isMultiple(of: 2), arguments[1] == "add" {
                try Self.add(arguments.dropFirst(2), to: URL(filePath: arguments[0]))
            } else {
                print("usage: transfer-queue FOLDER [add URL FILE...]")
                exit(64)
            }
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Adds a download for each pair of URL and file, and prints it.
    private static func add(_ pairs: ArraySlice<String>, to folder: URL) throws {
        let folder = try TransferDirectory(folder)
        var rest = pairs
        while let address = rest.popFirst(), let path = rest.popFirst() {
            guard let url = URL(string: address) else {
                throw SessionError(.invalidURL, reason: "“\(address)” is not a URL")
            }
            Self.write("\(try folder.add(.download(url, to: URL(filePath: path))))")
        }
    }

    /// Processes the queue until no transfer is waiting.
    ///
    /// - Returns: The number of failed transfers.
    private static func run(_ folder: URL) async throws -> Int {
        let queue = try await TransferQueue(at: folder, session: Session())
        let report = Task {
            for await change in queue.changes {
                guard case .updated(let transfer) = change else { continue }
                Self.write("\(transfer.file.lastPathComponent) \(transfer.state) \(transfer.progress.completed)")
            }
        }
        try await queue.waitUntilIdle()
        let failed = queue.transfers.filter { $0.state == .failed }
        await queue.shutdown()
        await report.value
        for transfer in failed { Self.write("\(transfer.file.lastPathComponent): \(transfer.failure?.reason ?? "")") }
        return failed.count
    }

    /// Writes a line without buffering, also to a pipe.
    private static func write(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
