// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps credentials by protection space.
///
/// A session asks the store when a server has sent a challenge, from the tasks of calls, many at a time. An answer is
/// tried once: a store cannot make a session repeat a wrong password. A store that waits ends its wait when its task is
/// cancelled, at the call's total limit for example: the call ends when the store has returned.
public protocol CredentialStore: Sendable {
    /// The credential for a space.
    ///
    /// - Parameter space: The space; a store must compare all of it.
    /// - Returns: The credential; nil if there is none.
    /// - Throws: Any error if the store cannot be used; the call fails with ``SessionError/Code/authenticationFailed``.
    func credential(for space: ProtectionSpace) async throws -> Credential?
}

/// A store of credentials in memory.
///
/// ```swift
/// let store = MemoryCredentialStore()
/// let origin = try Origin("https://example.com")
/// store[ProtectionSpace(origin: origin, realm: "staff")] = .password("ada", password)
/// configuration.authentication = .stored(in: store)
/// ```
public final class MemoryCredentialStore: CredentialStore {
    private let credentials = Mutex<[ProtectionSpace: Credential]>([:])

    /// Creates an empty store.
    public init() {}

    /// The credential for a space, nil if there is none; set nil to remove it.
    public subscript(space: ProtectionSpace) -> Credential? {
        get { self.credentials.withLock { $0[space] } }
        set { self.credentials.withLock { $0[space] = newValue } }
    }

    /// Removes every credential.
    public func removeAll() { self.credentials.withLock { $0 = [:] } }

    public func credential(for space: ProtectionSpace) async throws -> Credential? { self[space] }
}
