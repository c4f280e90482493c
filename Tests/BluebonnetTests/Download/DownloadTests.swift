// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import NIOCore
import Testing

@testable import Bluebonnet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite(.timeLimit(.minutes(1))) struct DownloadTests {
    private let directory: TemporaryDirectory
    private let request: Request

    init() throws {
        self.directory = try TemporaryDirectory()
        self.request = Request(url: try Peer.url("http://h/file"))
    }

    private func session(
        status: Int = 200,
        _ steps: [ScriptedBody.Step],
        length: Int64? = nil
    ) -> (Session, StubTransport) {
        let transport = StubTransport { _ in
            TransportResponse(
                status: .init(code: status),
                body: ResponseBody(source: ScriptedBody(steps), expectedLength: length)
            )
        }
        return (Session(transport: transport), transport)
    }

    @Test(
        arguments: [
            [], [.bytes(1)], [.bytes(16 * 1024 - 1), .bytes(16 * 1024), .bytes(16 * 1024 + 1)],
            [.text("a"), .bytes(16 * 1024), .text("b")],
            Array(repeating: .bytes(10_000), count: 20) + [.bytes(100_000), .text("tail")],
            [.bytes(1 << 20), .text("tail")], Array(repeating: .bytes(1000), count: 1000),
            Array(repeating: .bytes(16 * 1024 - 1), count: 9),
        ] as [[ScriptedBody.Step]]
    )
    func `writes every byte, whatever the pieces`(_ steps: [ScriptedBody.Step]) async throws {
        var expected = Data()
        for step in steps {
            switch step {
            case .bytes(let count): expected.append(Data(repeating: 0x61, count: count))
            case .text(let text): expected.append(Data(text.utf8))
            default: break
            }
        }
        let (session, _) = self.session(steps, length: Int64(expected.count))
        let file = try await session.download(self.request, to: self.directory.file("a"))
        #expect(file.byteCount == Int64(expected.count))
        #expect(file.url == self.directory.file("a"))
        #expect(file.response.body.isEmpty)
        #expect(try self.directory.names == ["a"])
        #expect(try self.directory.contents("a") == expected)
    }

    @Test func `writes a response that came in one piece`() async throws {
        let session = Session(transport: StubTransport { _ in .plain("whole") })
        let monitor = TransferMonitor()
        let file = try await session.download(self.request, to: self.directory.file("a"), monitor: monitor)
        #expect(file.byteCount == 5)
        #expect(try self.directory.contents("a") == Data("whole".utf8))
        #expect(monitor.download.current == TransferProgress(completed: 5, total: 5))
        #expect(monitor.download.isFinished)
    }

    @Test(arguments: [300, 304, 404, 500])
    func `saves nothing of a response that is not a success`(_ status: Int) async throws {
        let (session, _) = self.session(status: status, [.text("sorry")])
        let error = await #expect(throws: SessionError.self) {
            try await session.download(
                self.request,
                to: self.directory.file("a"),
                destinationOptions: .createDirectories
            )
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.status.code == status)
        #expect(error?.response?.body == Data("sorry".utf8))
        #expect(error?.isRequestSent == true)
        #expect(try self.directory.names == [])
    }

    @Test func `does not wait for the end of a large error page`() async throws {
        let (session, _) = self.session(status: 500, [.bytes(60_000), .bytes(60_000), .hang])
        let error = await #expect(throws: SessionError.self) {
            try await session.download(self.request, to: self.directory.file("a"))
        }
        #expect(error?.code == .unacceptableStatus)
    }

    @Test(arguments: [(Int64(11), [ScriptedBody.Step.bytes(10)]), (Int64(9), [ScriptedBody.Step.bytes(10)])])
    func `refuses a body of the wrong length`(_ length: Int64, _ steps: [ScriptedBody.Step]) async throws {
        let (session, _) = self.session(steps, length: length)
        let error = await #expect(throws: SessionError.self) {
            try await session.download(self.request, to: self.directory.file("a"))
        }
        #expect(error?.code == .incompleteDownload)
        #expect(try self.directory.names == [])
    }

    @Test func `leaves nothing behind when the connection breaks`() async throws {
        let broken = TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true)
        let (session, _) = self.session([.bytes(1 << 20), .fail(broken)])
        let error = await #expect(throws: SessionError.self) {
            try await session.download(self.request, to: self.directory.file("a"))
        }
        #expect(error?.code == .connectionClosed)
        #expect(error?.phase == .responseBody)
        #expect(try self.directory.names == [])
    }

    @Test func `leaves nothing behind when it is cancelled`() async throws {
        let (session, _) = self.session([.bytes(1 << 20), .hang])
        let monitor = TransferMonitor()
        let task = Task {
            try await session.download(self.request, to: self.directory.file("a"), monitor: monitor)
        }
        for await progress in monitor.download where progress.completed > 0 { break }
        let names = try self.directory.names
        #expect(names.count == 1 && names[0].hasPrefix(".a.") && names[0].hasSuffix(".partial"))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try self.directory.names == [])
    }

    @Test func `keeps a file that is there, and sends nothing`() async throws {
        try Data("old".utf8).write(to: self.directory.file("a"))
        let (session, transport) = self.session([.text("new")])
        let error = await #expect(throws: SessionError.self) {
            try await session.download(self.request, to: self.directory.file("a"))
        }
        #expect(error?.code == .destinationExists)
        #expect(error?.isRequestSent == false)
        #expect(transport.requests.isEmpty)
        #expect(try self.directory.contents("a") == Data("old".utf8))
    }

    @Test func `keeps a file that appears while it runs`() async throws {
        let destination = self.directory.file("a")
        let transport = StubTransport { _ in
            try Data("other".utf8).write(to: destination)
            return .text("new")
        }
        let error = await #expect(throws: SessionError.self) {
            try await Session(transport: transport).download(self.request, to: destination)
        }
        #expect(error?.code == .destinationExists)
        #expect(try self.directory.contents("a") == Data("other".utf8))
        // Nothing that was received is lost.
        let remains = try #require(error?.downloadRemains)
        #expect(remains.isComplete)
        #expect(remains.byteCount == 3)
        #expect(try Data(contentsOf: remains.file) == Data("new".utf8))
        #expect(try self.directory.names == [remains.file.lastPathComponent, "a"])
    }

    @Test func `overwrites when it is asked to, at the end`() async throws {
        try Data("old".utf8).write(to: self.directory.file("a"))
        let (session, _) = self.session([.text("new")])
        _ = try await session.download(self.request, to: self.directory.file("a"), destinationOptions: .overwrite)
        #expect(try self.directory.names == ["a"])
        #expect(try self.directory.contents("a") == Data("new".utf8))
    }

    @Test func `keeps the old file when overwriting fails`() async throws {
        try Data("old".utf8).write(to: self.directory.file("a"))
        let broken = TransportError(.timedOut, phase: .responseBody, reason: "slow", isRequestSent: true)
        let (session, _) = self.session([.text("new"), .fail(broken)])
        await #expect(throws: SessionError(.timedOut, reason: "")) {
            try await session.download(self.request, to: self.directory.file("a"), destinationOptions: .overwrite)
        }
        #expect(try self.directory.names == ["a"])
        #expect(try self.directory.contents("a") == Data("old".utf8))
    }

    @Test func `replaces a link and not what it leads to`() async throws {
        try Data("kept".utf8).write(to: self.directory.file("target"))
        try FileManager.default.createSymbolicLink(
            at: self.directory.file("a"),
            withDestinationURL: self.directory.file("target")
        )
        let (session, _) = self.session([.text("new")])
        _ = try await session.download(self.request, to: self.directory.file("a"), destinationOptions: .overwrite)
        #expect(try self.directory.contents("target") == Data("kept".utf8))
        #expect(try self.directory.contents("a") == Data("new".utf8))
    }

    @Test func `makes directories when it is asked to`() async throws {
        let (session, transport) = self.session([.text("new")])
        let destination = self.directory.file("x/y/z")
        let error = await #expect(throws: SessionError.self) {
            try await session.download(self.request, to: destination)
        }
        #expect(error?.code == .destinationUnavailable)
        #expect(transport.requests.isEmpty)
        _ = try await session.download(self.request, to: destination, destinationOptions: .createDirectories)
        #expect(try self.directory.contents("x/y/z") == Data("new".utf8))
    }

    @Test(.bug(id: "F499"), arguments: [false, true])
    func `what is in the place of a directory is the reason, and not that the directory is missing`(
        _ isLink: Bool
    ) async throws {
        let place = self.directory.file("x")
        if isLink {
            try #require(symlink("nowhere", place.path(percentEncoded: false)) == 0)
        } else {
            try Data().write(to: place)
        }
        let (session, _) = self.session([.text("new")])
        for policy in [DownloadPolicy(), .resuming] {
            let error = await #expect(throws: SessionError.self) {
                let file = self.directory.file("x/f")
                return try await session.download(
                    self.request,
                    to: file,
                    destinationOptions: .createDirectories,
                    policy: policy
                )
            }
            #expect(error?.code == .destinationUnavailable)
            #expect(error?.reason.contains("is in the place of") == true)
        }
        #expect(try self.directory.names == ["x"])
    }

    @Test(arguments: [
        "", "sub", "sub/", "sub/.", "sub/..", "file/under", "a%00b", "sub/\(String(repeating: "n", count: 256))",
    ])
    func `refuses a destination that cannot be a file`(_ name: String) async throws {
        try FileManager.default.createDirectory(at: self.directory.file("sub"), withIntermediateDirectories: false)
        try Data().write(to: self.directory.file("file"))
        let (session, transport) = self.session([.text("new")])
        let url = try #require(URL(string: self.directory.url.absoluteString + "/" + name))
        for options in [[], .createDirectories, .overwrite] as [DownloadOptions] {
            let error = await #expect(throws: SessionError.self) {
                try await session.download(self.request, to: url, destinationOptions: options)
            }
            #expect(error?.code == .destinationUnavailable)
            #expect(error?.reason.isEmpty == false)
        }
        #expect(transport.requests.isEmpty)
        #expect(try self.directory.names == ["file", "sub"])
    }

    @Test(.bug(id: "F444"), arguments: [.overwrite, [.overwrite, .createDirectories]] as [DownloadOptions])
    func `a pipe at the destination is refused before anything is sent`(_ options: DownloadOptions) async throws {
        try self.makePipe("a")
        let (session, transport) = self.session([.text("new")])
        for policy in [DownloadPolicy(), .resuming] {
            let error = await #expect(throws: SessionError.self) {
                let file = self.directory.file("a")
                return try await session.download(self.request, to: file, destinationOptions: options, policy: policy)
            }
            #expect(error?.code == .destinationUnavailable)
            #expect(error?.isRequestSent == false)
        }
        #expect(transport.requests.isEmpty)
        #expect(try self.directory.names == ["a"])
    }

    @Test(.bug(id: "F444")) func `a pipe that appears while it runs is not replaced, and nothing is lost`() async throws
    {
        let transport = StubTransport { _ in
            try self.makePipe("a")
            return .text("new")
        }
        let error = await #expect(throws: SessionError.self) {
            try await Session(transport: transport)
                .download(self.request, to: self.directory.file("a"), destinationOptions: .overwrite)
        }
        #expect(error?.code == .destinationUnavailable)
        let remains = try #require(error?.downloadRemains)
        #expect(remains.isComplete)
        #expect(try Data(contentsOf: remains.file) == Data("new".utf8))
    }

    private func makePipe(_ name: String) throws {
        try #require(mkfifo(self.directory.file(name).path(percentEncoded: false), 0o600) == 0)
    }

    @Test(.bug(id: "F606")) func `the reason for a destination that is no file's says what to do`() async throws {
        let (session, _) = self.session([])
        try Data().write(to: self.directory.file("a"))
        for (url, end) in [
            (self.directory.file("a"), "; use the option overwrite to replace it"),
            (try #require(URL(string: "file:///tmp/a%FFb")), "is empty or not UTF-8"),
            (self.directory.url, "name a file in it"),
        ] {
            let error = await #expect(throws: SessionError.self) { try await session.download(self.request, to: url) }
            #expect(error?.reason.hasSuffix(end) == true, "\(error?.reason ?? "")")
        }
    }

    @Test func `refuses a destination that is not a file URL`() async throws {
        let (session, _) = self.session([])
        await #expect(throws: SessionError(.destinationUnavailable, reason: "")) {
            try await session.download(self.request, to: self.request.url)
        }
    }

    @Test func `takes the longest name there is`() async throws {
        let name = String(repeating: "\u{e9}", count: 127)
        let (session, _) = self.session([.text("new")])
        _ = try await session.download(self.request, to: self.directory.file(name))
        #expect(try self.directory.names.count == 1)
    }

    @Test func `runs as a task that can be watched`() async throws {
        let (session, _) = self.session(Array(repeating: .bytes(1000), count: 50), length: 50_000)
        let task = session.downloadTask(with: self.request, to: self.directory.file("a"))
        task.resume()
        var last: TransferProgress?
        for await progress in task.downloadProgress { last = progress }
        #expect(last == TransferProgress(completed: 50_000, total: 50_000))
        #expect(try await task.value.byteCount == 50_000)
    }
}
