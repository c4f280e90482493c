// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import Foundation

/// Uploads a large file, and resumes an earlier run that was interrupted or killed.
///
///     swift run resume-upload tus https://example.com/files/ image.iso
///     swift run resume-upload draft https://example.com/upload image.iso
@main
struct ResumeUpload {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, let url = URL(string: arguments[1]), let upload = Self.upload(arguments[0]) else {
            print("usage: resume-upload tus|draft URL FILE")
            exit(64)
        }
        do {
            let uploaded = try await Self.send(URL(filePath: arguments[2]), to: url, upload) { progress in
                Self.write("\(progress.completed)")
            }
            if let restart = uploaded.restart { Self.write("restarted: \(restart.rawValue)") }
            Self.write("sent \(uploaded.byteCount) bytes, \(uploaded.resumedOffset) of them in earlier runs")
        } catch {
            print(error)
            exit(1)
        }
    }

    /// Returns the protocol with a name.
    private static func upload(_ name: String) -> ResumableUpload? {
        var upload: ResumableUpload
        switch name {
        case "tus": upload = .tus()
        case "draft": upload = .draft()
        default: return nil
        }
        upload.pieceSize = .fixed(256 * 1024)
        return upload
    }

    /// Uploads a file; the part that the server has already is not sent again.
    static func send(
        _ file: URL,
        to url: URL,
        _ upload: ResumableUpload,
        report: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> UploadedFile {
        var configuration = Session.Configuration()
        configuration.retries = .idempotent(attempts: 5)
        let monitor = TransferMonitor()
        async let uploaded = Session(configuration: configuration)
            .upload(file, to: url, resuming: upload, monitor: monitor)
        for await progress in monitor.upload { report(progress) }
        return try await uploaded
    }

    /// Writes a line without buffering, also to a pipe.
    private static func write(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
