// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials
import Synchronization

/// Keeps cookies in a file that several processes can share, and that stays intact if a process is killed.
///
/// ```swift
/// configuration.cookies = CookieJar(store: try FileCookieStore(at: file))
/// ```
///
/// The file is a journal: each change is one line with a checksum, appended in one step while a lock is held. A
/// line that was cut short, because the process or the machine stopped, is ignored. If most of it is out of date,
/// the file is written anew beside its place and renamed. Other processes see a change with their next request.
/// Only the owner can read the file; the lock is a second, empty file beside it, with `.lock` after its name. If
/// the file is removed, its cookies are removed with the next change. If another process holds the lock for more
/// than half a second, because it was stopped for example, the jar goes on without the file, and saves its changes
/// once the lock is free. A symbolic link is resolved once, when the store is created; the lock is beside the file
/// that it leads to.
///
/// Cookies that end with the session are not kept. A store belongs to one jar; another jar opens the file again. The
/// store does not wait for the disk: after a power failure the newest cookies may be missing.
public final class FileCookieStore: CookieStore {
    /// The largest file that is read and written: 256 MiB, in bytes.
    ///
    /// The cookies that a jar holds by default need up to 50 MiB, and as much again for changes. Changes that do not
    /// fit stay in memory, and the error is the jar's ``CookieJar/storeError``.
    public static let largestFile = 256 * 1024 * 1024

    /// The beginning of the file's first line; a random number follows, which changes each time the file is rewritten.
    private static let header = Array("bluebonnet-cookies 1 ".utf8)

    private let path: String
    private let limits: Limits
    private let now: @Sendable () -> Date
    private let guarded = Mutex(Guarded())

    /// What the lock of the store guards.
    private struct Guarded {
        var state = State()
        var patience = SharedPatience()
    }

    /// Opens a file of cookies, or creates it, blocking the thread.
    ///
    /// - Parameter file: The file's URL; its directory must exist. Keep it where nobody else can write.
    /// - Throws: ``SessionError`` with ``SessionError/Code/destinationUnavailable`` or ``SessionError/Code/storageFailed`` if it cannot be
    ///   read and written, or if it is another kind of file.
    public convenience init(at file: URL) throws(SessionError) {
        try self.init(at: file) { Date.now }
    }

    /// Opens a file of cookies with a test's limits and clock.
    package init(
        at file: URL,
        limits: Limits = Limits(),
        now: @escaping @Sendable () -> Date
    ) throws(SessionError) {
        self.limits = limits
        self.now = now
        // A link would be followed when the file is read, and refused or replaced when it is written.
        self.path = PrivateFile.target(of: file.path(percentEncoded: false))
        guard FileLocation(path: self.path) != nil else {
            throw SessionError(.destinationUnavailable, reason: "the path of the cookies cannot be a file's")
        }
        try SessionError.aboutCookieFile {
            try self.update { _ in [] }
            // Reading needs no permission to write. Without this, only the first change would show that it is missing.
            _ = try PrivateFile.append([], to: self.path)
        }
        // The jar has read nothing yet.
        self.guarded.withLock { $0.state = State() }
    }

    public func refresh(_ apply: (CookieStoreUpdate) -> Void) throws {
        // A thread that is writing updates its jar by itself; a request does not wait for it.
        try self.guarded.withLockIfAvailable { guarded in
            try SessionError.aboutCookieFile {
                // Whether a missing file was removed, or cannot be reached, is found out by the next write.
                guard let end = try PrivateFile.end(ofPath: self.path), end != guarded.state.position else { return }
                apply(try self.read(&guarded.state))
            }
        }
    }

    public func update(_ change: (CookieStoreUpdate) -> [CookieChange]) throws {
        try self.guarded.withLock { guarded in
            try SessionError.aboutCookieFile {
                let lock = try ProcessLock("\(self.path).lock", &guarded.patience)
                try self.write(change(try self.read(&guarded.state)), &guarded.state)
                _ = consume lock
            }
        }
    }

    // MARK: Reading

    /// Reads what was written since the last read.
    ///
    /// Lines are only ever appended, so this needs no lock.
    private func read(_ state: inout State) throws -> CookieStoreUpdate {
        let limit = self.limits.largestFile
        let found = try PrivateFile.read(self.path, from: state.position, head: state.head, upTo: limit)
        guard let (bytes, start) = found, !bytes.isEmpty || start.offset > 0 else {
            // There is no file, or an empty one.
            defer { state = State() }
            return state.cookies.isEmpty ? .none : .replaced([])
        }
        let isSame = start.offset > 0
        var journal = bytes[...]
        if !isSame {
            state = State()
            guard let end = journal.firstIndex(of: UInt8(ascii: "\n")), journal.starts(with: Self.header) else {
                throw ForeignFile()
            }
            state.head = Array(journal[...end])
            journal = journal[(end + 1)...]
        }
        // The end of an incomplete line is read the next time.
        let end = journal.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? journal.startIndex
        state.tornByteCount = journal.endIndex - end
        state.position = start
        state.position?.offset += Int64(end)
        let lines = journal[..<end].split(separator: UInt8(ascii: "\n"))
        var changes: [CookieChange] = []
        for line in lines {
            guard let change = CookieRecord.change(line) else { continue }
            state.note(change, byteCount: line.count + 1)
            changes.append(change)
        }
        state.lineCount += lines.count
        if isSame { return changes.isEmpty ? .none : .changes(changes) }
        return .replaced(Self.outcome(of: changes))
    }

    /// The cookies that result from a list of changes, in the order in which they were made.
    private static func outcome(of changes: [CookieChange]) -> [Cookie] {
        var cookies: [Cookie.Identity: (order: Int, cookie: Cookie)] = [:]
        for (order, change) in changes.enumerated() {
            switch change {
            case .removed(let cookie): cookies[cookie.identity] = nil
            case .set(let cookie):
                // A cookie that had expired is not replaced, and leaves no line when it expires.
                let replaced = cookies[cookie.identity].flatMap { $0.cookie.isExpired(at: cookie.created) ? nil : $0 }
                cookies[cookie.identity] = (replaced?.order ?? order, cookie)
            }
        }
        return cookies.values.sorted { $0.order < $1.order }.map(\.cookie)
    }

    // MARK: Writing, while the lock is held

    private func write(_ changes: [CookieChange], _ state: inout State) throws {
        guard let position = state.position else {
            // The first lines and the header appear under the file's name together.
            return try self.rewrite(Self.outcome(of: changes), &state)
        }
        guard !changes.isEmpty else { return }
        // The lock is held, so the writer of an incomplete line has ended. The mark keeps the line from being read as
        // complete.
        let mark = state.tornByteCount > 0 ? Array("!\n".utf8) : []
        let lines = changes.map(CookieRecord.line)
        let bytes = ([mark] + lines).flatMap { $0 }
        guard Int(position.offset) + state.tornByteCount + bytes.count <= self.limits.largestFile else {
            // A larger file would not be read.
            return try self.clean(adding: changes, &state)
        }
        state.position = try PrivateFile.append(bytes, to: self.path)
        state.tornByteCount = 0
        state.lineCount += lines.count
        for (change, line) in zip(changes, lines) { state.note(change, byteCount: line.count) }
        // The changes are in the file already. An error here would repeat them.
        if state.isOutOfDate(at: self.now(), self.limits) { try? self.clean(adding: [], &state) }
    }

    /// Rewrites the file without outdated lines.
    private func clean(adding changes: [CookieChange], _ state: inout State) throws {
        // The file is within the limit, unless another version of this library has written it.
        let bytes = try PrivateFile.read(self.path, from: nil, upTo: .max)?.bytes ?? []
        let lines = bytes.dropLast(state.tornByteCount).split(separator: UInt8(ascii: "\n"))
        let now = self.now()
        let cookies = Self.outcome(of: lines.compactMap(CookieRecord.change) + changes)
        try self.rewrite(cookies.filter { !$0.isExpired(at: now) }, &state)
    }

    private func rewrite(_ cookies: [Cookie], _ state: inout State) throws {
        let changes = cookies.map(CookieChange.set)
        let lines = changes.map(CookieRecord.line)
        let head = Self.header + Array("\(UInt64.random(in: 0...UInt64.max))\n".utf8)
        let bytes = ([head] + lines).flatMap { $0 }
        guard bytes.count <= self.limits.largestFile else {
            throw SessionError(.storageFailed, reason: "the cookies do not fit into a file that could be read again")
        }
        try PrivateFile.replace(self.path, with: bytes)
        state = State()
        state.head = head
        state.position = try PrivateFile.end(ofPath: self.path)
        state.lineCount = lines.count
        for (change, line) in zip(changes, lines) { state.note(change, byteCount: line.count) }
    }
}

/// The file is not a journal of cookies, and is not changed.
private struct ForeignFile: Error {}

extension SessionError {
    /// Converts errors of reading and writing a cookie file into session errors.
    static func aboutCookieFile<Result>(_ body: () throws -> Result) throws(SessionError) -> Result {
        do {
            return try body()
        } catch let error as SystemError {
            throw SessionError(ofCookieFile: error)
        } catch FileFault.system(let error) {
            throw SessionError(ofCookieFile: error)
        } catch let fault as FileFault {
            throw SessionError(.storageFailed, reason: "the file of cookies could not be read: \(fault.text)")
        } catch is ForeignFile {
            throw SessionError(
                .storageFailed,
                reason: "no FileCookieStore made the file, which stays as it is; importCookies(from:) reads cookies.txt"
            )
        } catch let error as SessionError {
            throw error
        } catch {
            throw SessionError(.storageFailed, reason: "the file of cookies could not be used", underlying: error)
        }
    }
}
