// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// Cookies in a file: over the ends of processes, however they end, and shared by several.
@Suite(.timeLimit(.minutes(2))) struct FileCookieStoreTests {
    private let folder: TemporaryDirectory
    private let calendar = TestCalendar()
    private var file: URL { self.folder.file("cookies") }

    init() throws { self.folder = try TemporaryDirectory() }

    private func jar() throws -> CookieJar {
        CookieJar(self.calendar, store: try FileCookieStore(at: self.file) { [calendar] in calendar.now })
    }

    private func lines() throws -> [Substring] {
        String(decoding: try self.folder.contents("cookies"), as: UTF8.self).split(separator: "\n")
    }

    // MARK: One process

    @Test func `cookies outlive the jar with everything they are`() throws {
        let fields = [
            "a=1; Max-Age=100",
            "b=%41 ü\t\"; Max-Age=100; Domain=example.com; Secure; HttpOnly; SameSite=None; Path=/x y",
            "__Host-c=; Max-Age=100; Path=/; Secure; SameSite=Strict", "nameless; Max-Age=100; SameSite=Lax",
            "z=1; Max-Age=99999999999",
        ]
        let jar = try self.jar()
        for field in fields { #expect(try jar.take(field, "https://www.example.com/p/q") == nil) }
        #expect(try self.jar().cookies == jar.cookies)
        #expect(jar.cookies.count == fields.count)
        #expect(jar.storeError == nil)
    }

    @Test func `bytes that are not UTF-8 outlive the jar`() throws {
        let field: [UInt8] = [0xFF, 0x3D, 0xC3, 0x28, 0x25] + Array("; Max-Age=9".utf8)
        try self.jar().receive(bytes: field, from: try Peer.url("http://h.example/"))
        let cookie = try #require(try self.jar().cookies.first)
        #expect(cookie.nameBytes == [0xFF])
        #expect(cookie.valueBytes == [0xC3, 0x28, 0x25])
    }

    @Test func `cookies of the session stay in memory`() throws {
        let jar = try self.jar()
        try jar.take("kept=1; Max-Age=100", "http://h.example/")
        try jar.take("session=1", "http://h.example/")
        #expect(jar.cookies.count == 2)
        #expect(try self.jar().cookies.map(\.name) == ["kept"])
        try jar.take("kept=2", "http://h.example/")
        #expect(jar.cookies.map(\.value) == ["2", "1"])
        #expect(try self.jar().cookies.isEmpty)
    }

    @Test func `what is removed, replaced or has ended stays away`() throws {
        let jar = try self.jar()
        for name in ["a", "b", "c", "d"] { try jar.take("\(name)=1; Max-Age=100", "http://h.example/") }
        try jar.take("a=; Max-Age=0", "http://h.example/")
        jar.removeAll { $0.name == "b" }
        try jar.take("c=2; Max-Age=5", "http://h.example/")
        #expect(try self.jar().cookies.map { "\($0.name)=\($0.value)" } == ["c=2", "d=1"])
        self.calendar.advance(by: 5)
        #expect(try self.jar().cookies.map(\.name) == ["d"])
    }

    @Test func `two jars see each other's changes in one order`() throws {
        let (one, two) = (try self.jar(), try self.jar())
        try one.take("a=1; Max-Age=100", "http://h.example/")
        #expect(try two.field("http://h.example/") == "a=1")
        try two.take("a=2; Max-Age=100", "http://h.example/")
        try two.take("b=1; Max-Age=100", "http://h.example/")
        #expect(try one.field("http://h.example/") == "a=2; b=1")
        one.removeAll()
        #expect(two.cookies.isEmpty)
        try two.take("mine=1", "http://h.example/")
        try one.take("x=1; Max-Age=100", "http://h.example/")
        #expect(Set(two.cookies.map(\.name)) == ["mine", "x"])
    }

    @Test(.bug(id: "F556"))
    func `a cookie that is set again after it had expired is a new one for every reader`() throws {
        let (one, two) = (try self.jar(), try self.jar())
        try one.take("sid=1; Max-Age=5", "http://h.example/")
        #expect(try two.field("http://h.example/") == "sid=1")
        self.calendar.advance(by: 6)
        try one.take("a=1; Max-Age=100", "http://h.example/")
        try one.take("sid=2; Max-Age=100", "http://h.example/")
        for jar in [one, two, try self.jar()] { #expect(try jar.field("http://h.example/") == "a=1; sid=2") }
        // One that has not expired keeps its place.
        try one.take("a=2; Max-Age=100", "http://h.example/")
        for jar in [one, two, try self.jar()] { #expect(try jar.field("http://h.example/") == "a=2; sid=2") }
    }

    @Test func `the file does not grow with the number of changes, and its readers follow`() throws {
        let (writer, reader) = (try self.jar(), try self.jar())
        for number in 0..<2500 {
            try writer.take("a=\(number); Max-Age=100", "http://h.example/")
            if number % 500 == 0 { #expect(reader.cookies.first?.value == "\(number)") }
        }
        #expect(try self.lines().count < 1100)
        #expect(reader.cookies.map(\.value) == ["2499"])
        #expect(try self.folder.names == ["cookies", "cookies.lock"])
    }

    // MARK: Large files

    /// A store with small limits, so that no large cookies are needed to reach them.
    private func smallStore(_ name: String = "cookies") throws -> FileCookieStore {
        var limits = FileCookieStore.Limits()
        (limits.byteCount, limits.largestFile) = (2 << 10, Self.smallFile)
        return try FileCookieStore(at: self.folder.file(name), limits: limits) { [calendar] in calendar.now }
    }

    private static let smallFile = 52 << 10

    /// Changes that take 19 kB in the file: fifteen cookies of 400 bytes outside ASCII, each of which takes three there.
    private func largeChanges(_ round: Int, host: String = "h") -> [CookieChange] {
        (0..<15).map { number in
            let domain = "\(host)\(number).example"
            let cookie = Cookie(
                Cookie.Identity(name: Array("n".utf8), domain: domain, isHostOnly: true, path: "/"),
                [UInt8](repeating: 0xE0 + UInt8(round), count: 400),
                created: self.calendar.now,
                expires: self.calendar.now.addingTimeInterval(100),
                isSecure: false,
                isHTTPOnly: false,
                sameSite: .unspecified
            )
            return .set(cookie)
        }
    }

    @Test(arguments: ["replaced", "expired"])
    func `a file that a server fills can be opened again`(_ reason: String) throws {
        let store = try self.smallStore()
        for round in 0..<8 {
            if reason == "expired" { self.calendar.advance(by: 100) }
            let host = reason == "expired" ? "r\(round)-" : "h"
            try store.update { _ in self.largeChanges(round, host: host) }
            #expect(try self.folder.contents("cookies").count <= Self.smallFile)
            let cookies = CookieJar(self.calendar, store: try self.smallStore()).cookies
            #expect(cookies.count == 15)
            #expect(cookies.allSatisfy { $0.valueBytes == [UInt8](repeating: 0xE0 + UInt8(round), count: 400) })
        }
        #expect(try self.folder.names == ["cookies", "cookies.lock"])
    }

    @Test func `a file that cannot be written anew takes what fits, each change once`() throws {
        _ = try self.smallStore()
        // The name of a new file beside it would be too long.
        let name = String(repeating: "c", count: 240)
        try FileManager.default.moveItem(at: self.file, to: self.folder.file(name))
        let store = try self.smallStore(name)
        for round in 0..<2 { try store.update { _ in self.largeChanges(round) } }
        #expect(throws: SessionError.self) { try store.update { _ in self.largeChanges(2) } }
        #expect(throws: SessionError.self) { try store.update { _ in self.largeChanges(3) } }
        let count = try self.folder.contents(name).count
        #expect(count > 36_000 && count <= Self.smallFile)
        let cookies = CookieJar(self.calendar, store: try self.smallStore(name)).cookies
        #expect(cookies.count == 15)
        #expect(cookies.allSatisfy { $0.valueBytes.first == 0xE1 })
    }

    @Test(.bug(id: "F602")) func `cookies that fit into no file stay in memory until there are fewer`() throws {
        let jar = CookieJar(self.calendar, store: try self.smallStore())
        let value = String(repeating: "ü", count: 200)
        for number in 0..<60 { try jar.take("n=\(value); Max-Age=100", "http://h\(number).example/") }
        #expect((jar.storeError as? SessionError)?.code == .storageFailed)
        #expect(jar.cookies.count == 60)
        // Reading the file succeeds, and says nothing about the cookies that are not in it.
        #expect((jar.storeError as? SessionError)?.code == .storageFailed)
        let kept = CookieJar(self.calendar, store: try self.smallStore()).cookies
        #expect(kept == Array(jar.cookies.prefix(kept.count)) && kept.count > 30)
        let removed = Set(jar.cookies.prefix(30).map(\.domain))
        jar.removeAll { removed.contains($0.domain) }
        #expect(jar.storeError == nil)
        #expect(jar.cookies.count == 30)
        #expect(CookieJar(self.calendar, store: try self.smallStore()).cookies == jar.cookies)
    }

    @Test func `only the owner can read the file`() throws {
        _ = try self.jar().take("a=1; Max-Age=100", "http://h.example/")
        for name in ["cookies", "cookies.lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: self.folder.file(name).path())
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
    }

    // MARK: Damage

    @Test func `a line that was cut or changed is passed over, and the next ones are kept`() throws {
        let jar = try self.jar()
        for name in ["a", "b", "c"] { try jar.take("\(name)=1; Max-Age=100", "http://h.example/") }
        var bytes = try self.folder.contents("cookies")
        bytes.removeLast(7)
        let place = try #require(bytes.firstRange(of: Data("\tb\t1".utf8)))
        bytes[place.lowerBound + 1] = UInt8(ascii: "B")
        try bytes.write(to: self.file)
        let next = try self.jar()
        #expect(next.cookies.map(\.name) == ["a"])
        try next.take("d=1; Max-Age=100", "http://h.example/")
        #expect(try self.jar().cookies.map(\.name) == ["a", "d"])
    }

    @Test func `every prefix of a file can be read and written`() throws {
        let jar = try self.jar()
        for number in 0..<3 { try jar.take("n\(number)=1; Max-Age=100", "http://h.example/") }
        let bytes = try self.folder.contents("cookies")
        let head = try #require(bytes.firstIndex(of: UInt8(ascii: "\n"))) + 1
        for count in [0] + Array(head...bytes.count) {
            try bytes.prefix(count).write(to: self.file)
            let jar = try self.jar()
            let names = jar.cookies.map(\.name)
            #expect(names == Array(["n0", "n1", "n2"].prefix(names.count)))
            try jar.take("last=1; Max-Age=100", "http://h.example/")
            #expect(try self.jar().cookies.map(\.name) == names + ["last"])
        }
    }

    @Test(
        .bug(id: "F881"),
        arguments: [
            "hello", "# Netscape HTTP Cookie File\n", "bluebonnet-cookies 2 1\n", "\n",
            "# Netscape HTTP Cookie File\nh.example\tFALSE\t/\tFALSE\t0\ta\tb\n",
        ]
    )
    func `a file of another kind is refused and left as it is`(_ text: String) throws {
        try Data(text.utf8).write(to: self.file)
        let error = #expect(throws: SessionError.self) { try FileCookieStore(at: self.file) }
        #expect(error?.code == .storageFailed)
        #expect(error?.reason.contains("importCookies(from:)") == true)
        #expect(try self.folder.contents("cookies") == Data(text.utf8))
    }

    @Test func `a path without a directory is an error at once`() throws {
        let error = #expect(throws: SessionError.self) { try FileCookieStore(at: self.folder.file("none/cookies")) }
        #expect(error?.code == .destinationUnavailable)
        #expect(throws: SessionError.self) { try FileCookieStore(at: self.folder.url) }
    }

    @Test func `a jar goes on without its store, and gives it later what it missed`() throws {
        let jar = try self.jar()
        try jar.take("a=1; Max-Age=100", "http://h.example/")
        let away = self.folder.url.appendingPathExtension("away")
        try FileManager.default.moveItem(at: self.folder.url, to: away)
        try jar.take("b=1; Max-Age=100", "http://h.example/")
        try jar.take("b=2; Max-Age=100", "http://h.example/")
        #expect(jar.storeError as? SessionError == SessionError(.destinationUnavailable, reason: ""))
        #expect(throws: SessionError.self) { try jar.synchronize() }
        #expect(jar.cookies.contains { $0.value == "2" })
        try FileManager.default.moveItem(at: away, to: self.folder.url)
        try jar.synchronize()
        #expect(jar.storeError == nil)
        #expect(try self.jar().cookies.map(\.value) == ["1", "2"])
    }

    // MARK: Several processes

    @Test(arguments: [1, 7, 60, 333])
    func `a process that is killed leaves every cookie it had set`(_ count: Int) async throws {
        let path = self.file.path()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, count = count as Int] in
            let store = try FileCookieStore(at: URL(filePath: path))
            var options = CookieJar.Options()
            options.cookieCount = .max
            let jar = CookieJar(store: store, options: options)
            let written = Counter()
            Thread.detachNewThread {
                while written.value < count {}
                kill(getpid(), SIGKILL)
            }
            // Small files are written anew now and then, so the end comes there, too.
            for number in 0... {
                try jar.receive("n=\(number); Max-Age=1000", from: try Peer.url("http://h\(number / 4).example/"))
                written.increase()
            }
        }
        let values = CookieJar(store: try FileCookieStore(at: self.file)).cookies.compactMap { Int($0.value) }
        let last = try #require(values.last)
        #expect(last >= count - 1)
        // Every fourth value is the last one of its host.
        #expect(values.dropLast() == Array(stride(from: 3, to: last, by: 4)).prefix(values.count - 1))
        try CookieJar(store: try FileCookieStore(at: self.file)).synchronize()
    }

    private func write(_ name: String, _ path: String) async {
        await #expect(processExitsWith: .success) { [name = name as String, path = path as String] in
            try FileCookieStoreTests.fill(path, name)
        }
    }

    private static func fill(_ path: String, _ name: String) throws {
        let jar = CookieJar(store: try FileCookieStore(at: URL(filePath: path)))
        for number in 0..<150 {
            // Half of the lines are out of date at once, and let the file be written anew while others write.
            for value in 0..<5 {
                try jar.receive("n=\(value); Max-Age=1000", from: try Peer.url("http://\(name)\(number).example/"))
            }
        }
        if let error = jar.storeError { throw error }
    }

    @Test func `three processes that write at once lose nothing`() async throws {
        let path = self.file.path()
        async let one: Void = self.write("one", path)
        async let two: Void = self.write("two", path)
        try Self.fill(path, "three")
        _ = await (one, two)
        let cookies = CookieJar(store: try FileCookieStore(at: self.file)).cookies
        #expect(cookies.count == 450)
        #expect(cookies.allSatisfy { $0.value == "4" })
        #expect(try self.folder.names == ["cookies", "cookies.lock"])
    }
}

/// A number that one thread raises and another one watches.
private final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { self.number.load(ordering: .acquiring) }

    func increase() { self.number.wrappingAdd(1, ordering: .releasing) }
}
