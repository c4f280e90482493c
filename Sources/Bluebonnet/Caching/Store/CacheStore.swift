// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
public import NIOCore

/// Keeps responses for a ``ResponseCache``: in memory, on disk, or wherever a program likes.
///
/// The cache decides what is stored and what may be reused (RFC 9111). A store only keeps it, within its own limit, and
/// removes the least recently used responses first. All functions may be called from any task, many at a time. An error
/// from a store counts as "not stored" and never reaches the caller; it only makes a call slower. At the total limit of a
/// call the task that waits for the store is cancelled. Requests that a store sends through the session of the call get
/// a place beyond `maximumConcurrentRequests`.
public protocol CacheStore: Sendable {
    /// The number of bytes that the store holds at most, heads and bodies.
    var maximumByteCount: Int { get }

    /// The responses that are stored for a URL: complete ones, and parts that a writer was told to keep.
    ///
    /// - Parameter key: The URL.
    /// - Returns: The responses that the store keeps for the URL, a limited number, in no particular order.
    /// - Throws: Any error; nothing is reused then.
    func responses(for key: CacheKey) async throws -> [StoredResponse]

    /// Returns the body of a stored response, which counts as used from now on.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - range: The bytes that are wanted, all of them within the body; nil for the whole, and an empty range where only the head is used.
    /// - Returns: The body; nil if the response is not stored any more. It stays readable when the response is removed meanwhile; a
    ///   store that cannot keep it so throws from it, and never ends it early.
    /// - Throws: Any error; the request is sent to the server then.
    func body(of response: StoredResponse, range: Range<Int64>?) async throws -> ResponseBody?

    /// Begins to store a response, which can be found once its writer has committed it.
    ///
    /// - Parameter response: The head; its ``StoredResponse/bodyByteCount`` is not known yet.
    /// - Returns: The writer of the body.
    /// - Throws: Any error if it cannot be stored.
    func makeWriter(for response: StoredResponse) async throws -> any CacheWriter

    /// Replaces the head of a stored response, found by its ``StoredResponse/id``; its body stays. Does nothing if it
    /// is no longer stored.
    ///
    /// - Parameter response: The new head.
    /// - Throws: Any error.
    func update(_ response: StoredResponse) async throws

    /// Removes one response, found by its ``StoredResponse/id``.
    ///
    /// - Parameter response: The response.
    /// - Throws: Any error.
    func remove(_ response: StoredResponse) async throws

    /// Removes every response of a URL.
    ///
    /// - Parameter key: The URL.
    /// - Throws: Any error.
    func removeAll(for key: CacheKey) async throws

    /// Removes everything.
    ///
    /// - Throws: Any error.
    func removeAll() async throws
}

/// A store of this library: it makes no calls, and waits for another process no longer than ``Call/storePatience``, so
/// that calls need no protection from it.
package protocol LibraryCacheStore: CacheStore {}

/// Writes the body of a response that is being stored: any number of ``write(_:)``, then one of ``commit()``,
/// ``keepPart()`` and ``discard()``.
public protocol CacheWriter: Sendable {
    /// Writes the next bytes.
    ///
    /// - Parameter bytes: At least one byte.
    /// - Throws: Any error if the body cannot be stored; ``discard()`` follows.
    func write(_ bytes: ByteBuffer) async throws

    /// Completes the response, which replaces those of the same key and variant atomically.
    ///
    /// If a whole response with a later ``StoredResponse/responseTime`` has been stored meanwhile, that one stays, and
    /// this one is discarded without an error.
    ///
    /// - Throws: Any error; the response is not stored then.
    func commit() async throws

    /// The body will not be complete, and its beginning can be completed later: it is stored as a part, ``StoredResponse/isPart``,
    /// unless there is a whole that came later, or a longer part of the same version.
    ///
    /// May be called on any thread, and must not block: work that waits for a disk is done later, before the store
    /// answers another call. A store that keeps no parts need not implement it: the default is ``discard()``.
    func keepPart()

    /// Discards an incomplete body.
    ///
    /// May be called on any thread, and must not block. Does nothing after ``commit()`` and ``keepPart()``.
    func discard()
}

extension CacheWriter {
    public func keepPart() {
        self.discard()
    }
}
