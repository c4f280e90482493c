// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import Foundation
import Testing

/// Resumable uploads to servers that others have written: tuspyserver, and NIOResumableUpload of swift-nio-extras.
@Suite(.timeLimit(.minutes(2)))
struct UploadServersTests {
    private static let bytes = patternedData(count: 3 * 1024 * 1024 + 1234)

    /// Gives a session and a file to upload.
    private func withFile(_ body: (Session, URL) async throws -> Void) async throws {
        var engine = NIOTransport.Configuration()
        engine.proxy = .direct
        let transport = NIOTransport(configuration: engine)
        var configuration = Session.Configuration()
        configuration.retries = .idempotent(attempts: 5)
        configuration.retries.backoff = .init(initial: .milliseconds(10), maximum: .milliseconds(100))
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-upload-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file.bin")
        try Self.bytes.write(to: file)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(Session(configuration: configuration, transport: transport), file))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        try result.get()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["file.bin"])
    }

    /// Uploads in several goes: cancelled when so many bytes have been acknowledged, and started again.
    private func interrupting(
        _ session: Session,
        _ file: URL,
        to url: URL,
        _ upload: ResumableUpload
    ) async throws -> UploadedFile {
        var last: Int64 = 0
        for limit: Int64 in [500_000, 1_500_000, 2_900_000] {
            let task = session.uploadTask(file, with: Request(method: .post, url: url), resuming: upload)
            task.resume()
            for await progress in task.uploadProgress where progress.completed >= limit {
                task.cancel()
                break
            }
            _ = try? await task.value
            last = task.uploadProgress.current.completed
            #expect(last >= limit)
        }
        let uploaded = try await session.upload(file, to: url, resuming: upload)
        #expect(uploaded.resumedOffset >= last)
        return uploaded
    }

    @Test(arguments: [1, 3]) func `tuspyserver has the bytes of an upload`(_ parallelism: Int) async throws {
        try await ExternalServer.run(.tus) { server in
            try await self.withFile { session, file in
                let url = server.http.appending(path: "files/")
                var upload = ResumableUpload.tus(TusOptions(parallelism: parallelism))
                upload.pieceSize = .fixed(200_000)
                let whole = try await session.upload(file, to: url, resuming: upload)
                let name = try #require(whole.url?.lastPathComponent)
                #expect(try Data(contentsOf: server.files.appending(path: name)) == Self.bytes)
                let uploaded = try await self.interrupting(session, file, to: url, upload)
                let other = try #require(uploaded.url?.lastPathComponent)
                #expect(other != name)
                #expect(try Data(contentsOf: server.files.appending(path: other)) == Self.bytes)
            }
        }
    }

    @Test func `tuspyserver forgets an upload that is given up`() async throws {
        try await ExternalServer.run(.tus) { server in
            try await self.withFile { session, file in
                let request = Request(method: .post, url: server.http.appending(path: "files/"))
                var upload = ResumableUpload.tus()
                upload.pieceSize = .fixed(200_000)
                let task = session.uploadTask(file, with: request, resuming: upload)
                task.resume()
                for await progress in task.uploadProgress where progress.completed >= 400_000 {
                    task.cancel()
                    break
                }
                _ = try? await task.value
                let isDiscarded = try await session.discardUpload(of: file, with: request, resuming: upload)
                #expect(isDiscarded)
            }
        }
    }

    @Test(arguments: [UploadDraftVersion.v3, .v5, .v6])
    func `NIOResumableUpload has the bytes of an upload`(_ version: UploadDraftVersion) async throws {
        try await UploadDraftServer.run { url, server in
            try await self.withFile { session, file in
                let expected = UploadDraftServer.Received(byteCount: Self.bytes.count, sha256: digest(Self.bytes))
                var upload = ResumableUpload.draft(version)
                upload.pieceSize = .whole
                let whole = try await session.upload(file, to: url, resuming: upload)
                #expect(whole.response?.status == .created)
                #expect(server.received == [expected])
                upload.pieceSize = .fixed(200_000)
                let uploaded = try await self.interrupting(session, file, to: url, upload)
                #expect(uploaded.response?.status == .created)
                #expect(server.received == [expected, expected])
            }
        }
    }

    @Test func `an upload in one piece goes on with the URL of its informational response`() async throws {
        try await UploadDraftServer.run { url, server in
            try await self.withFile { session, file in
                var upload = ResumableUpload.draft()
                upload.pieceSize = .whole
                let (named, continuation) = AsyncStream.makeStream(of: Void.self)
                var request = Request(method: .post, url: url)
                request.transportOptions.onInformational = { _, _ in continuation.yield() }
                let task = session.uploadTask(file, with: request, resuming: upload)
                task.resume()
                for await _ in named {
                    task.cancel()
                    break
                }
                do {
                    // The server may have been faster than the cancellation.
                    _ = try await task.value
                } catch is CancellationError {
                    let uploaded = try await session.upload(file, to: url, resuming: upload)
                    // Nothing but the informational response has named the upload. A server that had all of it has forgotten it.
                    #expect(uploaded.url != nil)
                }
                let expected = UploadDraftServer.Received(byteCount: Self.bytes.count, sha256: digest(Self.bytes))
                #expect(server.received.last == expected)
            }
        }
    }
}
