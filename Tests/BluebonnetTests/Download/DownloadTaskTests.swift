// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct DownloadTaskTests {
    private func cancelled(
        _ scene: DownloadScene,
        _ origin: RangeOrigin,
        policy: DownloadPolicy = DownloadPolicy()
    ) async throws -> DownloadResumeData? {
        let task = scene.session.downloadTask(
            with: try scene.request("/file?token=secret"),
            to: scene.directory.file("a"),
            policy: policy
        )
        task.resume()
        for await progress in task.downloadProgress where progress.completed == 50_000 { break }
        let resumeData = await task.cancelProducingResumeData()
        await #expect(throws: CancellationError.self) { try await task.value }
        return resumeData
    }

    @Test(arguments: [DownloadPolicy(), .resuming])
    func `resume data survive as JSON, hold no secrets, and go on`(_ policy: DownloadPolicy) async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 100_000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .stall(.afterBody(50_000))) },
                { origin.response(to: $0) }
            )
            let resumeData = try #require(try await self.cancelled(scene, origin, policy: policy))
            #expect(resumeData.byteCount == 50_000)
            #expect(resumeData.totalByteCount == 100_000)
            let json = try JSONEncoder().encode(resumeData)
            #expect(!String(decoding: json, as: UTF8.self).contains("secret"))
            #expect(try scene.directory.names.count == 2)
            let journal = try #require(try scene.directory.names.first { $0.hasSuffix(".journal") })
            #expect(!String(decoding: try scene.directory.contents(journal), as: UTF8.self).contains("secret"))

            let decoded = try JSONDecoder().decode(DownloadResumeData.self, from: json)
            #expect(decoded == resumeData)
            let task = scene.session.downloadTask(
                resumeData: decoded,
                with: try scene.request("/file?token=another")
            )
            task.resume()
            let file = try await task.value
            #expect(file.resumedOffset == 50_000)
            #expect(task.downloadProgress.current == TransferProgress(completed: 100_000, total: 100_000))
            #expect(served.ranges == [nil, "bytes=50000-"])
            #expect(try scene.directory.contents("a") == origin.bytes)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test func `resume data without their file start again and say so`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 100_000)
            _ = scene.serve(
                "/file",
                { origin.response(to: $0, .stall(.afterBody(50_000))) },
                { origin.response(to: $0) }
            )
            let resumeData = try #require(try await self.cancelled(scene, origin))
            for name in try scene.directory.names { try FileManager.default.removeItem(at: scene.directory.file(name)) }
            let task = scene.session.downloadTask(resumeData: resumeData, with: try scene.request())
            task.resume()
            let file = try await task.value
            #expect(file.restart == .lost)
            #expect(try scene.directory.contents("a") == origin.bytes)
            #expect(try scene.directory.names == ["a"])
        }
    }

    @Test(.bug(id: "F226"))
    func `resume data whose directory is gone start again if the directory may be created`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 100_000)
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .stall(.afterBody(50_000))) },
                { origin.response(to: $0) }
            )
            let folder = scene.directory.file("folder")
            let task = scene.session.downloadTask(
                with: try scene.request(),
                to: folder.appending(path: "a"),
                destinationOptions: .createDirectories
            )
            task.resume()
            for await progress in task.downloadProgress where progress.completed == 50_000 { break }
            let resumeData = try #require(await task.cancelProducingResumeData())
            try FileManager.default.removeItem(at: folder)

            let refused = scene.session.downloadTask(resumeData: resumeData, with: try scene.request())
            refused.resume()
            let error = await #expect(throws: SessionError.self) { try await refused.value }
            #expect(error?.code == .destinationUnavailable)
            #expect(served.requests.count == 1)

            let next = scene.session.downloadTask(
                resumeData: resumeData,
                with: try scene.request(),
                destinationOptions: .createDirectories
            )
            next.resume()
            let file = try await next.value
            #expect(file.restart == .lost)
            #expect(served.ranges == [nil, nil])
            #expect(try scene.directory.contents("folder/a") == origin.bytes)
        }
    }

    @Test func `a task that was not resumed has no resume data`() async throws {
        let session = Session(transport: StubTransport())
        let directory = try TemporaryDirectory()
        let task = session.downloadTask(with: Request(url: try Peer.url("http://h/")), to: directory.file("a"))
        #expect(await task.cancelProducingResumeData() == nil)
        let called = Mutex(0)
        task.cancel { _ in called.withLock { $0 += 1 } }
        #expect(called.withLock { $0 } == 1)
        #expect(try directory.names == [])
    }

    @Test func `resume data of an entity without a strong tag are nil`() async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 100_000, entityTag: nil)
            _ = scene.serve("/file", { origin.response(to: $0, .stall(.afterBody(50_000))) })
            let resumeData = try await self.cancelled(scene, origin)
            #expect(resumeData == nil)
            #expect(try scene.directory.names == [])
        }
    }

    @Test(arguments: [
        #""version":1"#: #""version":2"#,
        #""partialName":".a.bluebonnet-part""#: #""partialName":"../a.bluebonnet-part""#,
        ".a.bluebonnet-part": ".ssh", "\\\"t\\\"": "W/t", #""byteCount":10"#: #""byteCount":-10"#,
        #""totalByteCount":20"#: #""totalByteCount":-20"#, #""url":"http:"#: #""uri":"http:"#,
    ])
    func `resume data that this library did not write are refused`(_ part: String, _ replacement: String) throws {
        let text = """
            {"version":1,"url":"http://h/","destination":"file:///tmp/a","partialName":".a.bluebonnet-part",\
            "byteCount":10,"totalByteCount":20,"entityTag":"\\"t\\""}
            """
        _ = try JSONDecoder().decode(DownloadResumeData.self, from: Data(text.utf8))
        let changed = text.replacing(part, with: replacement)
        #expect(changed != text)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(DownloadResumeData.self, from: Data(changed.utf8))
        }
    }

    // MARK: Destinations

    @Test(arguments: [DownloadPolicy(), .resuming])
    func `a destination is decided from the response`(_ policy: DownloadPolicy) async throws {
        try await DownloadScene.run { scene in
            let origin = RangeOrigin(byteCount: 1000, fields: [.contentType: "image/png"])
            let served = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(300))) },
                { origin.response(to: $0) }
            )
            let directory = scene.directory
            let calls = Mutex<[URL]>([])
            let destination = DownloadDestination.decided { temporary, response in
                calls.withLock { $0.append(temporary) }
                return directory.file(response.headers[.contentType] == "image/png" ? "a.png" : "a")
            }
            await #expect(throws: SessionError.self) {
                try await scene.session.download(scene.request(), to: destination, policy: policy)
            }
            let file = try await scene.session.download(scene.request(), to: destination, policy: policy)
            #expect(file.url == directory.file("a.png"))
            #expect(try directory.contents("a.png") == origin.bytes)
            #expect(try directory.names == ["a.png"])
            #expect(calls.withLock { Set($0).count } == 2)
            #expect(served.ranges == (policy.resume == .always ? [nil, nil, "bytes=300-"] : [nil, nil]))
        }
    }

    @Test func `a destination may be the temporary file that is proposed`() async throws {
        let session = Session(transport: StubTransport { _ in .plain("new") })
        let file = try await session.download(
            Request(url: try Peer.url("http://h/")),
            to: .decided { temporary, _ in temporary }
        )
        defer { try? FileManager.default.removeItem(at: file.url) }
        #expect(try Data(contentsOf: file.url) == Data("new".utf8))
    }

    @Test func `a refused response is not shown to the function of a destination`() async throws {
        let session = Session(transport: StubTransport { _ in .plain("no", status: 404) })
        let error = await #expect(throws: SessionError.self) {
            try await session.download(
                Request(url: try Peer.url("http://h/")),
                to: .decided { url, _ in
                    Issue.record("called")
                    return url
                }
            )
        }
        #expect(error?.code == .unacceptableStatus)
    }

    @Test func `a response of the wrong type is refused before a file is made`() async throws {
        let directory = try TemporaryDirectory()
        let transport = StubTransport { _ in .plain("<html>", headers: [.contentType: "text/html"]) }
        var policy = DownloadPolicy()
        policy.validation.acceptableContentTypes = ["application/zip"]
        let error = await #expect(throws: SessionError.self) {
            try await Session(transport: transport)
                .download(Request(url: try Peer.url("http://h/")), to: directory.file("a"), policy: policy)
        }
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.response?.body == Data("<html>".utf8))
        #expect(transport.requests.first?.headers[.accept] == "application/zip")
        #expect(try directory.names == [])
    }

    // MARK: Events

    private final class Observer: SessionObserver {
        let lines = Mutex<[String]>([])

        func observe(_ event: CallEvent, of call: Call) {
            guard case .download(let event) = event else { return }
            let line =
                switch event {
                case .resumed(let offset, let total): "resumed \(offset) of \(total ?? -1)"
                case .restarted(let reason): "restarted \(reason.rawValue)"
                case .wrote(_, let written, let total): "wrote \(written) of \(total ?? -1)"
                case .finished(let url, let count): "finished \(url.lastPathComponent) \(count)"
                case .notMoved(let error): "not moved \(error.code)"
                case .kept(let remains): "kept \(remains.byteCount) of \(remains.resumeData?.totalByteCount ?? -1)"
                }
            self.lines.withLock { $0.append(line) }
        }
    }

    @Test func `observers are told what happens to the file`() async throws {
        let observer = Observer()
        var configuration = Session.Configuration()
        configuration.observers = [observer]
        try await DownloadScene.run(configuration) { scene in
            let (origin, new) = (RangeOrigin(), RangeOrigin(entityTag: #""b""#, shift: 9))
            _ = scene.serve(
                "/file",
                { origin.response(to: $0, .close(.afterBody(20))) },
                { origin.response(to: $0, .close(.afterBody(30))) },
                { new.response(to: $0) }
            )
            try await scene.failing()
            try await scene.failing()
            _ = try await scene.download()
            let kept = try await scene.failing(options: [])
            #expect(kept.code == .destinationExists)
        }
        #expect(
            observer.lines.withLock { $0 } == [
                "wrote 20 of 64", "kept 20 of 64", "resumed 20 of 64", "wrote 50 of 64", "kept 50 of 64",
                "restarted changed", "wrote 64 of 64", "finished a 64",
            ]
        )
    }

    @Test func `a file that cannot be moved is told, too`() async throws {
        let observer = Observer()
        let directory = try TemporaryDirectory()
        var configuration = Session.Configuration()
        configuration.observers = [observer]
        let transport = StubTransport { _ in
            try Data("other".utf8).write(to: directory.file("a"))
            return .plain("new")
        }
        let error = await #expect(throws: SessionError.self) {
            try await Session(configuration: configuration, transport: transport)
                .download(Request(url: try Peer.url("http://h/")), to: directory.file("a"))
        }
        #expect(error?.downloadRemains?.isComplete == true)
        #expect(observer.lines.withLock { $0.suffix(2) } == ["not moved destinationExists", "kept 3 of -1"])
    }
}
