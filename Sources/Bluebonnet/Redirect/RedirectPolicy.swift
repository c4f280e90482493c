// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// Which redirects are followed (RFC 9110 section 15.4).
///
/// A redirect is a response with the status 301, 302, 303, 307 or 308 and one usable Location field; any other response is delivered.
/// These rules apply to a redirect that is followed:
///
/// - 301 and 302 change POST to GET, unless ``keepsPost`` is set; 303 changes every method but HEAD to GET. With the
///   method the body and the fields that describe it are dropped, as are the trailer fields of the request. 307 and 308
///   repeat the same request; a body that cannot be read twice is an error, unless the program's function replaces it.
/// - To another origin (scheme, host, port) only the fields Accept, Accept-Encoding, Accept-Language, Cache-Control,
///   Content-Encoding, Content-Language, Content-Type, If-Range, Last-Event-ID, Range and User-Agent are sent, and
///   Idempotency-Key if the method is unchanged. Credentials, cookies and all fields that a program has added are
///   dropped. So are the client certificate and the trailer fields, both the request's and those of
///   ``Session/Configuration/transportOptions``, and the user information of the URL; that of a Location field is never
///   used.
/// - If it is redirected back to an origin, a request does not get again what it has lost by leaving it, and gets nothing
///   of its session instead: no field of the same name, no cookies in place of a Cookie field, no credentials in place
///   of an Authorization field or of user information, no client certificate and no trailer fields in place of its own.
///   What only the session had is sent again, as is what `request.authentication` names.
/// - Redirects from https to http are not followed, unless ``allowsDowngrade`` is set.
/// - The last two rules also apply to the request that a program makes from a redirect: if it is for another origin, it
///   loses the redirected request's fields that may not be sent there, and keeps new ones.
/// - The fragment of the URL is kept if the Location field has none.
/// - An international host in the Location field is sent in its ASCII form; if it has none, the response is delivered.
/// - A redirect with a `Retry-After` field is followed after that time (RFC 9110 section 10.2.3). If it is more than
///   ``retryAfterLimit``, or would exceed the deadline of the call, the response is delivered. A redirect that the cache
///   answers without the server is followed at once.
///
/// The body of a redirect response is read up to ``Session/Limits/discardedByteCount`` and for one second, so that its
/// connection can be reused. An error in its body does not prevent following the redirect.
public struct RedirectPolicy: Sendable {
    /// The largest number of redirects of one request that are followed: 20 unless changed.
    ///
    /// One more fails with ``SessionError/Code/tooManyRedirects``.
    public var maximumCount = 20

    /// Whether a redirect may lead from https to http: false unless changed; it fails with
    /// ``SessionError/Code/redirectRefused``.
    public var allowsDowngrade = false

    /// Whether 301 and 302 keep POST: false unless changed, as in every browser.
    public var keepsPost = false

    /// The longest `Retry-After` time of a redirect that is waited for: 60 s unless changed; nil to ignore the field.
    public var retryAfterLimit: Duration? = .seconds(60)

    /// The time of day, for a date in a `Retry-After` field; tests replace it.
    package var wallClock = WallClock.system

    /// Whether redirects are never followed, so that the stage can be left out.
    private(set) var isNone = false

    /// Whether the program's own code decides.
    private(set) var isOfProgram = false

    /// Decides about one redirect, after the rules above.
    let decide: @Sendable (Redirect) async throws -> Request?

    /// Follows every redirect.
    ///
    /// - Parameter maximum: The largest number of redirects of one request that are followed.
    /// - Returns: The policy.
    public static func follow(maximum: Int = 20) -> RedirectPolicy {
        var policy = RedirectPolicy(decide: { $0.proposedRequest })
        policy.maximumCount = max(maximum, 0)
        return policy
    }

    /// Follows no redirect: the response is delivered.
    public static let none: RedirectPolicy = {
        var policy = RedirectPolicy(decide: { _ in nil })
        policy.isNone = true
        return policy
    }()

    /// Follows redirects within the origin of the request; any other redirect is delivered.
    public static let sameOrigin = RedirectPolicy(decide: { $0.isCrossOrigin ? nil : $0.proposedRequest })

    /// Creates a policy that decides about each redirect.
    ///
    /// - Parameter decide: Returns the request to send for a redirect, which is the proposed one, unchanged or changed,
    ///   or nil to deliver the response. A body that can be read only once has been read; the function may give the
    ///   request another one. The call throws the errors that it throws. It runs in a task of its own, which is
    ///   cancelled at the call's total limit and when the call is cancelled; the call ends then even if the function
    ///   goes on.
    public init(_ decide: @escaping @Sendable (Redirect) async throws -> Request?) {
        self.init(decide: decide)
        self.isOfProgram = true
    }

    private init(decide: @escaping @Sendable (Redirect) async throws -> Request?) {
        self.decide = decide
    }
}

/// One redirect, for a ``RedirectPolicy`` to decide about.
public struct Redirect: Sendable {
    /// The response that redirects; its body is empty.
    public let response: Response

    /// The request that was redirected.
    public let request: Request

    /// The request that follows the redirect, by the rules of ``RedirectPolicy``.
    public let proposedRequest: Request

    /// Whether it is for another origin than the request that was redirected.
    public let isCrossOrigin: Bool

    /// The number of redirects followed before this one.
    public let count: Int

    /// The time that the response asks for in its `Retry-After` field, however long; nil if it asks for none.
    public let retryAfter: Duration?
}
