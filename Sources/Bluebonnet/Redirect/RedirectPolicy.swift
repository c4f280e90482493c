// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

/// Which redirects are followed (RFC 9110 section 15.4).
///
/// A redirect is a response with the status 301, 302, 303, 307 or 308 and one usable Location field; any other response is delivered.
/// What is followed keeps to these rules:
///
/// - 301 and 302 turn POST into GET, unless ``keepsPost`` is set; 303 turns every method but HEAD into GET. Together with the method the body
///   and the fields that describe it are dropped, and so are the trailer fields of the request. 307 and 308 send the same request again; a body
///   that cannot be read twice is an error.
/// - To another origin (scheme, host, port) go only the fields Accept, Accept-Encoding, Accept-Language, Cache-Control, Content-Encoding,
///   Content-Language, Content-Type, If-Range, Last-Event-ID, Range and User-Agent, and Idempotency-Key where the method stays. Credentials, cookies
///   and whatever a program has added stay behind. So do
///   the client certificate and the trailer fields, those of the request and those of ``Session/Configuration/transportOptions``, and the user
///   information of the URL; that of a Location field is never used.
/// - From https to http nothing goes, unless ``allowsDowngrade`` is set.
/// - The last two rules hold for the request that a program makes of a redirect: one that it sends to another origin loses what the redirected
///   request had and may not leave, and keeps what is new.
/// - The fragment of the URL is kept where the Location field has none.
///
/// The body of a response that is redirected is read up to ``Session/Limits/discardedByteCount`` and for one second, so that its connection can be
/// used again. A redirect is followed whatever is wrong with its body.
public struct RedirectPolicy: Sendable {
    /// The number of redirects of one request that are followed: 20 unless changed.
    ///
    /// One more fails with ``SessionError/Code/tooManyRedirects``.
    public var maximumCount = 20

    /// Whether a redirect may lead from https to http: no unless changed; it fails with ``SessionError/Code/redirectRefused``.
    public var allowsDowngrade = false

    /// Whether 301 and 302 leave POST as it is: no unless changed, as in every browser.
    public var keepsPost = false

    /// Whether no redirect is ever followed, so that the stage can be left out.
    private(set) var isNone = false

    /// Whether the decision is made by code of the program.
    private(set) var isOfProgram = false

    /// Decides about one redirect, after the rules above.
    let decide: @Sendable (Redirect) async throws -> Request?

    /// Follows every redirect.
    ///
    /// - Parameter maximum: The number of redirects of one request that are followed.
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
    /// - Parameter decide: Gets the redirect, and gives the request to send: the proposed one, as it is or changed, or nil to deliver the
    ///   response. Called from the task of the call. What it throws, the call throws. At the call's total limit, its task is cancelled.
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

    /// Whether it goes to another origin than the request that was redirected.
    public let isCrossOrigin: Bool

    /// The number of redirects that were followed before this one.
    public let count: Int
}
