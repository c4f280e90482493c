// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation

/// Saves a large file and prints its progress.
///
/// An error leaves no partial file behind; a signal that ends the process does.
///
///     swift run download-with-progress https://example.com/image.iso image.iso
@main
struct DownloadWithProgress {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2 else {
            print("usage: download-with-progress URL FILE")
            exit(64)
        }
        do {
            let file = try await Self.save(arguments[0], to: URL(filePath: arguments[1])) { progress in
                let total = progress.total.map { " of \($0)" } ?? ""
                print("\(progress.completed)\(total) bytes")
            }
            print("saved \(file.byteCount) bytes")
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Saves the resource of a URL, and reports its progress.
    static func save(
        _ address: String,
        to destination: URL,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> DownloadedFile {
        try await HTTPSession().download(address, to: destination, progress: report)
    }
}
