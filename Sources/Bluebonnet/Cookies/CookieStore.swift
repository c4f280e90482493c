// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Keeps the cookies of a jar beyond its life, and shares them with the jars of other processes.
///
/// A ``CookieJar`` holds its cookies in memory, and reads them only from there. It tells the store about its changes,
/// and asks it for the changes of others. Both functions are called from any thread. ``refresh(_:)`` is called from the
/// task of each request, so it must not wait. ``update(_:)`` may block: a session calls it from a thread of its own for
/// the cookies of a response, and the response does not wait for more than half of the time that its call has left. A
/// store that waits for another process must limit the wait. Session cookies belong to the jar; the store gets only
/// those with an expiry.
///
/// A function that calls its parameter must do so before it returns, once, and while no other change can happen in
/// between: then the changes of others and those of the jar have the same order for everyone. A jar takes its own lock
/// inside these parameters, so a store must not call the jar.
public protocol CookieStore: Sendable {
    /// Tells the jar about the changes of others; called before each request.
    ///
    /// It should be cheap if nothing has changed. A store that is busy may postpone it.
    ///
    /// - Parameter apply: Receives the changes. It need not be called if there are none.
    /// - Throws: Any error that prevents reading the store; the jar continues with what it has.
    func refresh(_ apply: (CookieStoreUpdate) -> Void) throws

    /// Tells the jar about the changes of others, and stores the changes that the jar makes then.
    ///
    /// - Parameter change: Receives the changes of others, and returns those of the jar, in their order.
    /// - Throws: Any error that prevents reading or writing the store. If `change` was not called the jar continues by
    ///   itself; changes that were not stored are passed again the next time.
    func update(_ change: (CookieStoreUpdate) -> [CookieChange]) throws
}

/// A change to the cookies of a store.
public enum CookieChange: Sendable {
    /// A cookie was created, or replaced another one.
    case set(Cookie)
    /// A cookie was removed.
    case removed(Cookie)
}

/// The changes of others in a store since the jar's last use.
public enum CookieStoreUpdate: Sendable {
    /// Nothing.
    case none
    /// These changes, in their order.
    case changes([CookieChange])
    /// Any number of changes: these are all cookies in the store now, in the order in which they were made.
    case replaced([Cookie])
}
