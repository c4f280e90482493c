// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// Links to files of cookies, and files that cannot be written.
@Suite(.timeLimit(.minutes(1))) struct FileCookieStorePlaceTests {
    private let folder: TemporaryDirectory
    private let calendar = TestCalendar()

    init() throws { self.folder = try TemporaryDirectory() }

    private func jar(_ file: URL) throws -> CookieJar {
        CookieJar(self.calendar, store: try FileCookieStore(at: file) { [calendar] in calendar.now })
    }

    private func link(_ name: String, to destination: String) throws {
        let path = self.folder.file(name).path(percentEncoded: false)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: destination)
    }

    @Test(.bug(id: "F242"), arguments: ["absolute", "relative", "chain", "dangling"])
    func `cookies are kept in the file that a link leads to, and the link stays`(_ kind: String) throws {
        let target = self.folder.file("data").appending(path: "journal")
        let directory = self.folder.file("data")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        if kind != "dangling" { _ = try FileCookieStore(at: target) }
        switch kind {
        case "absolute": try self.link("cookies", to: target.path(percentEncoded: false))
        case "chain":
            try self.link("cookies", to: "middle")
            try self.link("middle", to: "data/journal")
        default: try self.link("cookies", to: "data/journal")
        }
        let jar = try self.jar(self.folder.file("cookies"))
        try jar.take("a=1; Max-Age=100", "http://h.example/")
        #expect(jar.storeError == nil)
        #expect(try self.jar(target).cookies.map(\.name) == ["a"])
        #expect(try self.folder.names == ["cookies", "data"] + (kind == "chain" ? ["middle"] : []))
        let path = self.folder.file("cookies").path(percentEncoded: false)
        let destination = try FileManager.default.destinationOfSymbolicLink(atPath: path)
        #expect(destination.hasSuffix(kind == "chain" ? "middle" : "data/journal"))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
        #expect(names.sorted() == ["journal", "journal.lock"])
    }

    @Test(.bug(id: "F242")) func `a file that may be read and not written is an error at once`() async throws {
        let file = self.folder.file("cookies")
        _ = try FileCookieStore(at: file)
        try FileManager.default.removeItem(at: self.folder.file("cookies.lock"))
        let path = file.path(percentEncoded: false)
        try #require(chmod(path, 0o444) == 0)
        try #require(chmod(self.folder.url.path(percentEncoded: false), 0o777) == 0)
        await #expect(processExitsWith: .success) { [path = path as String] in
            // Root may write any file, so the process becomes another user's.
            if geteuid() == 0, setuid(65_534) != 0 { return }
            if (try? FileCookieStore(at: URL(filePath: path))) != nil { exit(EXIT_FAILURE) }
        }
    }
    // MARK: A process that was stopped while it held the lock

    private func lock() throws -> FileHandle {
        let handle = try FileHandle(forUpdating: self.folder.file("cookies.lock"))
        try #require(flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        return handle
    }

    @Test(.bug(id: "F415"), arguments: [1000, 200, nil] as [Int?])
    func `many calls end in time while another process holds the lock, and no task stands still`(
        _ limit: Int?
    ) async throws {
        let file = self.folder.file("cookies")
        let jar = CookieJar(store: try FileCookieStore(at: file))
        let transport = StubTransport { request in
            let name = request.target.dropFirst()
            return TransportResponse(status: .ok, headers: [.setCookie: "c\(name)=1; Path=/; Max-Age=100"])
        }
        var configuration = Session.Configuration()
        configuration.cookies = jar
        let session = Session(configuration: configuration, transport: transport)
        let other = try self.lock()
        let start = ContinuousClock.now
        let (statuses, pause) = try await Ticker.longestPause {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        var request = Request(url: try Peer.url("http://h.example/\(number)"))
                        request.options.totalTimeout = limit.map { .milliseconds($0) }
                        return try await session.response(for: request).status.code
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(pause < .milliseconds(500))
        #expect(statuses == Array(repeating: 200, count: 20))
        // A response may be delivered before its cookies are stored.
        #expect(await Patience.holds { jar.cookies.count == 20 })
        try other.close()
        try jar.synchronize()
        #expect(CookieJar(store: try FileCookieStore(at: file)).cookies.count == 20)
        await session.shutdown()
    }
}
