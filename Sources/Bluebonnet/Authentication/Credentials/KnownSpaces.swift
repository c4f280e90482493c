// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Synchronization

/// The protection spaces that have challenged a session, with the credential each accepted and the count of each nonce.
final class KnownSpaces: Sendable {
    /// The owner of a credential; only requests with the same owner send it preemptively.
    enum Owner: Hashable, Sendable {
        case rule, store, sessionHandler
    }

    struct Entry: Sendable {
        var space: ProtectionSpace
        var scheme: AuthenticationScheme
        var credential: Credential
        var owner: Owner
        /// The path prefixes that belong to the space.
        var paths: [String]
        var digest: DigestSession?
        /// Whether a server has accepted the credential.
        var isConfirmed = false
    }

    /// The largest number of spaces; the oldest is removed to make room for another.
    private let largestCount: Int

    private let entries = Mutex<[Entry]>([])

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
    /// - Returns: The space with the longest matching path; nil if there is none.
    func entry(_ origin: Origin, _ target: String, _ owner: Owner, _ credential: Credential?) -> Entry? {
        self.entries.withLock { entries in
            entries.lazy
                .filter { $0.isConfirmed && $0.owner == owner && $0.space.origin == origin }
                .filter { credential == nil || $0.credential == credential }
                .compactMap { entry in entry.depth(of: target).map { (entry, $0) } }
                .max { $0.1 < $1.1 }?.0
        }
    }

    /// The session of a nonce: requests under one nonce share one count.
    ///
    /// - Returns: The existing session of the nonce, or a new one, which replaces the session of another nonce.
    func session(for challenge: DigestChallenge, of entry: Entry) -> DigestSession {
        self.entries.withLock { entries in
            let index = entries.firstIndex { $0.isSame(as: entry) }
            let before = index.flatMap { entries[$0].digest }
            let session = DigestSession.answering(challenge, after: before)
            if session === before { return session }
            var entry = entry
            entry.digest = session
            if let index {
                entry.isConfirmed = entries[index].isConfirmed
                entries[index] = entry
            } else {
                self.append(entry, to: &entries)
            }
            return session
        }
    }

    /// Records that a server has accepted a credential.
    func confirm(_ entry: Entry) {
        self.entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.isSame(as: entry) }) else {
                var entry = entry
                entry.isConfirmed = true
                return self.append(entry, to: &entries)
            }
            entries[index].isConfirmed = true
            for path in entry.paths where !entries[index].paths.contains(path) {
                guard entries[index].paths.count < self.largestCount else { return }
                entries[index].paths.append(path)
            }
        }
    }

    /// Removes a credential that a server has refused.
    func forget(_ answer: CredentialAnswer) {
        self.entries.withLock { entries in
            entries.removeAll {
                $0.space == answer.space && $0.scheme == answer.scheme && $0.credential == answer.credential
                    && ($0.digest == nil || $0.digest === answer.digest?.session)
            }
        }
    }

    private func append(_ entry: Entry, to entries: inout [Entry]) {
        guard self.largestCount > 0 else { return }
        if entries.count >= self.largestCount { entries.removeFirst() }
        entries.append(entry)
    }
}

extension KnownSpaces.Entry {
    /// The length in bytes of the space's longest path that is a prefix of a target; nil if there is none.
    fileprivate func depth(of target: String) -> Int? {
        self.paths.lazy.filter { target.utf8.starts(with: $0.utf8) }.map(\.utf8.count).max()
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
            let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
            let end = path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.endIndex
            return [String(Substring(path[..<end]))]
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
