// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation

/// Saves a large file, and resumes an earlier run that was interrupted or killed.
///
///     swift run resume-download https://example.com/image.iso image.iso
///     swift run resume-download https://example.com/image.iso image.iso SHA256
///     swift run resume-download --parallel https://example.com/image.iso image.iso
@main
struct ResumeDownload {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isParallel = arguments.first == "--parallel"
        if isParallel { arguments.removeFirst() }
        guard arguments.count == 2 || arguments.count == 3 else {
            print("usage: resume-download [--parallel] URL FILE [SHA256]")
            exit(64)
        }
        do {
            let digest = arguments.count == 3 ? arguments[2] : nil
            let file = try await Self.save(
                arguments[0],
                to: URL(filePath: arguments[1]),
                sha256: digest,
                parallelism: isParallel ? 4 : 1
            ) { progress in
                Self.write("\(progress.completed)")
            }
            if let restart = file.restart { Self.write("restarted: \(restart.rawValue)") }
            Self.write("saved \(file.byteCount) bytes, \(file.resumedOffset) of them in earlier runs")
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Saves the resource of a URL; the part that exists already is not requested again.
    static func save(
        _ address: String,
        to destination: URL,
        sha256: String?,
        parallelism: Int = 1,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> DownloadedFile {
        let digest = try sha256.map { try ContentDigest(.sha256, hexadecimal: $0) }
        return try await HTTPSession().download(
            address,
            to: destination,
            policy: DownloadPolicy(resume: .always, digest: digest, parallelism: parallelism),
            progress: report
        )
    }

    /// Writes a line without buffering, also to a pipe.
    private static func write(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
