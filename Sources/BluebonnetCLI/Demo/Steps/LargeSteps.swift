// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTesting
import FoundationEssentials

/// The steps with a large body in each direction.
struct LargeSteps {
    let api: HTTPSession
    let environment: DemoEnvironment

    var all: [DemoStep] { [self.upload, self.download] }

    /// The server's `/upload` report about a multipart form.
    private struct UploadReport: Decodable, Sendable {
        struct Part: Decodable, Sendable {
            var name: String?
            var byteCount: Int64
            var sha256: String
            var text: String?
        }

        var parts: [Part]
    }

    private var upload: DemoStep {
        let file = self.environment.file
        return DemoStep(title: "Upload \(ByteText.wholeMebibytes(file.byteCount)), multipart") {
            var form = MultipartFormData()
            form.append(Data("sent by the demonstration".utf8), name: "note")
            try form.append(file: file.url, name: "file", contentType: "application/octet-stream")
            let monitor = TransferMonitor()
            var call = try self.api.prepare(.post, "upload", multipart: form)
            call.monitor = monitor
            let start = ContinuousClock.now
            let report = try await self.display("Uploading").whileShown(monitor.upload) { [call] in
                try await call.value(as: UploadReport.self)
            }
            let duration = start.duration(to: .now)
            try DemoStep.check(report.parts.count == 2, "the server found \(report.parts.count) parts and not 2")
            let part = report.parts[1]
            try DemoStep.check(part.name == "file", "the part is called “\(part.name ?? "")” and not “file”")
            try DemoStep.check(part.byteCount == file.byteCount, "\(part.byteCount) of \(file.byteCount) bytes arrived")
            try DemoStep.check(part.sha256 == file.sha256, "the digest of what arrived differs from that of the file")
            return DemoStep.Outcome(
                detail: "\(SmallSteps.short(part.sha256)) matches",
                byteCount: file.byteCount,
                duration: duration
            )
        }
    }

    private var download: DemoStep {
        let byteCount = self.environment.file.byteCount
        return DemoStep(title: "Download \(ByteText.wholeMebibytes(byteCount))") {
            let destination = self.environment.folder.url("download.bin")
            let monitor = TransferMonitor()
            var call = try self.api.prepare(.get, "bytes/\(byteCount)")
            call.monitor = monitor
            let start = ContinuousClock.now
            _ = try await self.display("Downloading").whileShown(monitor.download) { [call] in
                try await call.download(to: destination, destinationOptions: .overwrite)
            }
            let duration = start.duration(to: .now)
            let (received, sha256) = try await FileDigest.compute(destination.path(percentEncoded: false))
            let expected = await PatternBytes.sha256(ofFirst: byteCount)
            try DemoStep.check(received == byteCount, "\(received) of \(byteCount) bytes arrived")
            try DemoStep.check(sha256 == expected, "the digest of the file differs from that of the server's bytes")
            return DemoStep.Outcome(
                detail: "\(SmallSteps.short(sha256)) matches",
                byteCount: byteCount,
                duration: duration
            )
        }
    }

    private func display(_ title: String) -> ProgressDisplay {
        ProgressDisplay(title: title, console: self.environment.console)
    }
}
