// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Synchronization

/// The protection spaces that have challenged a session, with the credential each accepted and the count of each nonce.
final class KnownSpaces: Sendable {
    /// The owner of a credential; only requests with the same owner send it preemptively.
    enum Owner: Hashable, Sendable {
        case rule, store, sessionHandler
        /// The credential, or the nonce of a Digest answer, is for one request. Only the count of the nonce is kept.
        case oneRequest
    }

    struct Entry: Sendable {
        var space: ProtectionSpace
        var scheme: AuthenticationScheme
        var credential: Credential
        var owner: Owner
        /// The path prefixes that belong to the space.
        var paths: [String]
        var digest: DigestSession?
        /// The directories of the latest targets for which a server has accepted the credential, the latest one last.
        ///
        /// Several Digest realms of an origin cover the same paths if none has a `domain`. The directories tell which
        /// of them a target belongs to.
        var directories: [String] = []
        /// The number of its last confirmation among those of all entries; nil if no server has accepted it.
        var lastConfirmation: UInt64?
    }

    private struct State {
        var entries: [Entry] = []
        var confirmationCount: UInt64 = 0
        /// Where calls wait for their turn to get a nonce of their own.
        var places: [ProtectionSpace: Admission] = [:]
    }

    /// The largest number of spaces; to make room for another, the oldest without a confirmation is removed, or the
    /// oldest of all.
    private let largestCount: Int

    /// The largest number of directories of an entry: a server decides how many targets there are.
    static let largestDirectoryCount = 16

    private let state = Mutex(State())
    private let hasConfirmation = Atomic(false)

    /// Whether a server has accepted any credential so far.
    var isAnyConfirmed: Bool { self.hasConfirmation.load(ordering: .relaxed) }

    init(largestCount: Int) {
        self.largestCount = largestCount
    }

    /// The space that a request belongs to.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request.
    ///   - target: Its target.
    ///   - owner: The owner of the credential.
    ///   - credential: The credential; nil for any.
    /// - Returns: The space with the longest matching path; of several, the one that was confirmed for the nearest
    ///   directory, then the one that was confirmed last. Nil if there is none.
    func entry(_ origin: Origin, _ target: String, _ owner: Owner, _ credential: Credential?) -> Entry? {
        self.state.withLock { state in
            state.entries.lazy
                .filter { $0.lastConfirmation != nil && $0.owner == owner && $0.space.origin == origin }
                .filter { credential == nil || $0.credential == credential }
                .compactMap { entry in entry.rank(for: target).map { (entry, $0) } }
                .max { $0.1 < $1.1 }?.0
        }
    }

    /// The session of a nonce: requests under one nonce share one count, whatever their credentials are.
    ///
    /// - Returns: The existing session of the nonce, or a new one, which replaces the session of another nonce.
    func session(for challenge: DigestChallenge, of entry: Entry) -> DigestSession {
        self.state.withLock { state in
            let index = state.entries.firstIndex { $0.isSame(as: entry) }
            let before = state.entries.lazy.filter { $0.space == entry.space }.compactMap(\.digest)
                .first { $0.nonce.utf8.elementsEqual(challenge.nonce.utf8) }
            let session = DigestSession.answering(challenge, after: before)
            if let index, state.entries[index].digest === session { return session }
            var entry = entry
            entry.digest = session
            if let index {
                entry.directories = state.entries[index].directories
                entry.lastConfirmation = state.entries[index].lastConfirmation
                state.entries[index] = entry
            } else {
                self.append(entry, to: &state.entries)
            }
            return session
        }
    }

    /// The place of a protection space that one call has at a time.
    func place(in space: ProtectionSpace) -> Admission {
        self.state.withLock { state in
            if let place = state.places[space] { return place }
            // The calls that wait keep the place that they wait for.
            if state.places.count >= self.largestCount { state.places = [:] }
            let place = Admission(limit: 1)
            state.places[space] = place
            return place
        }
    }

    /// Records that a server has accepted a credential.
    ///
    /// - Parameters:
    ///   - entry: The space, with the paths that this response tells.
    ///   - target: The target of the request that was accepted.
    func confirm(_ entry: Entry, for target: String) {
        let directory = Entry.directory(of: target)
        self.hasConfirmation.store(true, ordering: .relaxed)
        self.state.withLock { state in
            state.confirmationCount += 1
            guard let index = state.entries.firstIndex(where: { $0.isSame(as: entry) }) else {
                var entry = entry
                entry.confirm(directory, state.confirmationCount)
                return self.append(entry, to: &state.entries)
            }
            state.entries[index].confirm(directory, state.confirmationCount)
            for path in entry.paths where !state.entries[index].paths.contains(path) {
                guard state.entries[index].paths.count < self.largestCount else { return }
                state.entries[index].paths.append(path)
            }
        }
    }

    /// Stops sending a credential preemptively, because a server has refused it.
    func forget(_ answer: CredentialAnswer) {
        self.state.withLock { state in
            for index in state.entries.indices where state.entries[index].isEntry(of: answer) {
                // The session stays: a server may use its nonce again, and refuses a number that it has seen.
                state.entries[index].lastConfirmation = nil
                state.entries[index].directories = []
                state.entries[index].paths = []
            }
            state.entries.removeAll { $0.lastConfirmation == nil && $0.digest == nil }
        }
    }

    private func append(_ entry: Entry, to entries: inout [Entry]) {
        guard self.largestCount > 0 else { return }
        if entries.count >= self.largestCount {
            // What was never accepted is sent by no later request, and would displace what is.
            entries.remove(at: entries.firstIndex { $0.lastConfirmation == nil } ?? 0)
        }
        entries.append(entry)
    }
}

extension KnownSpaces.Entry {
    /// Orders the spaces that a target may belong to, the best last.
    ///
    /// - Returns: The length in bytes of the space's longest path that is a prefix of the target, that of the longest
    ///   directory that the target shares with a target of the space, and the number of the last confirmation. Nil if
    ///   the target does not belong to the space.
    fileprivate func rank(for target: String) -> (Int, Int, UInt64)? {
        let depths = self.paths.lazy.filter { target.utf8.starts(with: $0.utf8) }.map(\.utf8.count)
        guard let depth = depths.max() else { return nil }
        let directory = Self.directory(of: target)
        let shared = self.directories.lazy.map { Self.sharedByteCount($0, directory) }.max()
        return (depth, shared ?? 0, self.lastConfirmation ?? 0)
    }

    /// The length in bytes of the longest path, up to a slash, with which two directories begin.
    private static func sharedByteCount(_ one: String, _ other: String) -> Int {
        var (count, shared) = (0, 0)
        for (left, right) in zip(one.utf8, other.utf8) {
            guard left == right else { break }
            count += 1
            if left == UInt8(ascii: "/") { shared = count }
        }
        return shared
    }

    fileprivate mutating func confirm(_ directory: String, _ number: UInt64) {
        self.lastConfirmation = number
        self.directories.removeAll { $0.utf8.elementsEqual(directory.utf8) }
        if self.directories.count >= KnownSpaces.largestDirectoryCount { self.directories.removeFirst() }
        self.directories.append(directory)
    }

    /// The path of a target up to its last slash.
    static func directory(of target: String) -> String {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let end = path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.endIndex
        return String(Substring(path[..<end]))
    }

    /// Whether an answer is made with the credential; a nonce that is younger than the answer counts as another one.
    fileprivate func isEntry(of answer: CredentialAnswer) -> Bool {
        self.space == answer.space && self.scheme == answer.scheme && self.credential == answer.credential
            && (self.digest == nil || self.digest === answer.digest?.session)
    }

    fileprivate func isSame(as other: Self) -> Bool {
        self.space == other.space && self.scheme == other.scheme && self.credential == other.credential
            && self.owner == other.owner
    }

    /// The path prefixes that a challenge covers.
    ///
    /// - Parameters:
    ///   - challenge: The challenge of Digest; nil for Basic.
    ///   - target: The target that was challenged.
    ///   - origin: The origin that sent it; other origins in `domain` are ignored.
    /// - Returns: The path prefixes.
    static func paths(_ challenge: DigestChallenge?, _ target: String, _ origin: Origin) -> [String] {
        guard let challenge else {
            // RFC 7617 section 2.2: everything at the depth of the path's last slash, or deeper.
            return [Self.directory(of: target)]
        }
        // RFC 7616 section 3.3: without a domain, or with an empty one, the whole origin.
        guard let domain = challenge.domain, domain.utf8.contains(where: { $0 != 0x20 }) else { return ["/"] }
        let prefix = Array("\(origin)".utf8)
        return domain.utf8.split(separator: 0x20).prefix(64).compactMap { bytes in
            if bytes.first == UInt8(ascii: "/") {
                return bytes.dropFirst().first == UInt8(ascii: "/") ? nil : String(Substring(bytes))
            }
            guard bytes.starts(with: prefix) else { return nil }
            let path = bytes.dropFirst(prefix.count)
            return path.isEmpty ? "/" : path.first == UInt8(ascii: "/") ? String(Substring(path)) : nil
        }
    }
}
