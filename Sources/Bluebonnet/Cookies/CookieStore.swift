// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Keeps the cookies of a jar beyond its life, and shares them with the jars of other processes.
///
/// A ``CookieJar`` holds its cookies in memory, and answers every question from there. It tells the store what changes, and asks it for what
/// others have changed. Both functions are called from any thread, and block: a store that waits for another process has to bound
/// the wait. Cookies that end with the session are the jar's own; the store sees those with an end only.
///
/// The functions that they are given must be called before they return, once, and while no other change can come between: what others
/// have changed and what the jar changes then have one order for everybody. A jar takes its own lock inside these functions, so a store must
/// not call the jar.
public protocol CookieStore: Sendable {
    /// Tells the jar what others have changed; called before each request.
    ///
    /// It should cost little where nothing has changed. A store that is busy may leave it for the next time.
    ///
    /// - Parameter apply: Takes the changes. Need not be called where there are none.
    /// - Throws: What keeps the store from being read; the jar goes on with what it has.
    func refresh(_ apply: (CookieStoreUpdate) -> Void) throws

    /// Tells the jar what others have changed, and keeps what the jar changes then.
    ///
    /// - Parameter change: Takes the changes of others, and gives those of the jar, in their order.
    /// - Throws: What keeps the store from being read or written. If `change` was not called the jar goes on by itself; it gives what was not
    ///   kept once more the next time.
    func update(_ change: (CookieStoreUpdate) -> [CookieChange]) throws
}

/// A change to the cookies of a store.
public enum CookieChange: Sendable {
    /// A cookie was made, or took the place of another one.
    case set(Cookie)
    /// A cookie was removed.
    case removed(Cookie)
}

/// What others have changed in a store since the jar saw it.
public enum CookieStoreUpdate: Sendable {
    /// Nothing.
    case none
    /// These changes, in their order.
    case changes([CookieChange])
    /// Anything: these are all cookies that the store has now, in the order in which they were made.
    case replaced([Cookie])
}
