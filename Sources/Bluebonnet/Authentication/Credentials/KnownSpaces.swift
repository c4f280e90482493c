// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Synchronization

/// The protection spaces that a session has been challenged by: which credential they accepted, and the count of each nonce.
final class KnownSpaces: Sendable {
    /// Who gave a credential: nobody else's requests use it unasked.
    enum Owner: Hashable, Sendable {
        case rule, store, sessionHandler
    }

    struct Entry: Sendable {
        var space: ProtectionSpace
        var scheme: AuthenticationScheme
        var credential: Credential
        var owner: Owner
        /// The beginnings of the paths that belong to the space.
        var paths: [String]
        var digest: DigestSession?
        /// Whether a server has accepted the credential.
        var isConfirmed = false
    }

    /// The spaces that are remembered; the oldest is forgotten for one more.
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
    ///   - owner: Who gave the credential.
    ///   - credential: The credential; nil for any.
    /// - Returns: The space whose path fits best; nil if there is none.
    func entry(_ origin: Origin, _ target: String, _ owner: Owner, _ credential: Credential?) -> Entry? {
        self.entries.withLock { entries in
            // The deepest path is the most exact one.
            entries.lazy
                .filter { $0.isConfirmed && $0.owner == owner && $0.space.origin == origin }
                .filter { credential == nil || $0.credential == credential }
                .compactMap { entry in entry.depth(of: target).map { (entry, $0) } }
                .max { $0.1 < $1.1 }?.0
        }
    }

    /// The session of a nonce: requests under one nonce share one count.
    ///
    /// - Returns: The session that is there for the nonce, or a new one, which replaces that of another nonce.
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

    /// A server has accepted a credential.
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

    /// A server has refused a credential.
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
    /// How much of a target the space's longest fitting path covers; nil if none fits.
    fileprivate func depth(of target: String) -> Int? {
        self.paths.lazy.filter { target.utf8.starts(with: $0.utf8) }.map(\.utf8.count).max()
    }

    fileprivate func isSame(as other: Self) -> Bool {
        self.space == other.space && self.scheme == other.scheme && self.credential == other.credential
            && self.owner == other.owner
    }

    /// The paths that a challenge is about.
    ///
    /// - Parameters:
    ///   - challenge: The challenge of Digest; nil for Basic.
    ///   - target: The target that was challenged.
    ///   - origin: The origin that it came from. A `domain` that names another one is not followed there.
    /// - Returns: The beginnings of the paths.
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
