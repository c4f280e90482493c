// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport

/// The credentials that a session, or one request, authenticates with.
///
/// ```swift
/// configuration.authentication = .password("ada", password)
/// configuration.authentication = [
///     .bearer(token, for: try Origin("https://api.example.com")),
///     .stored(in: store),
/// ]
/// ```
///
/// Each rule belongs to one origin: scheme, host and port. A rule that names no origin belongs to the origin of the
/// session's base URL, and in the policy of a request to the origin of the request's URL; a session without a base URL
/// cannot use it (``SessionError/Code/invalidConfiguration``). The first rule that applies to a request is used. A
/// redirect to another origin carries no credentials.
///
/// A request that carries an `Authorization` field is sent unchanged. User information in a URL takes precedence over
/// every rule.
public struct AuthenticationPolicy: Sendable {
    /// A source of credentials, and where it applies.
    struct Rule: Sendable {
        enum Source: Sendable {
            case password(Credential, schemes: [AuthenticationScheme], isPreemptive: Bool)
            case token(String)
            case tokens(TokenSource)
            case store(any CredentialStore)
            case netrc(Netrc)
        }

        var source: Source
        var scope: Scope
    }

    /// Where a rule applies.
    enum Scope: Sendable {
        case home
        case origin(Origin)
        /// The source itself decides by the origin.
        case any
    }

    private(set) var rules: [Rule]

    /// Decides about each challenge before the rules; nil, the default, for the rules alone.
    ///
    /// It is called after the handler of the request (`Request.onAuthenticationChallenge`). In the policy of a session,
    /// its answers are used for the whole session: once a server has accepted a credential, later requests to its
    /// protection space carry it. In the policy of a request, its answers are used for this request only.
    ///
    /// - Warning: The handler takes precedence over all rules. Return a credential only for an origin that you know:
    ///   check ``AuthenticationChallenge/space``.
    public var onChallenge: AuthenticationChallenge.Handler?

    private init(_ source: Rule.Source, _ scope: Scope) {
        self.rules = [Rule(source: source, scope: scope)]
    }

    /// No credentials; a 401 is delivered.
    public static let anonymous: AuthenticationPolicy = []

    /// A user name and a password, sent as the server asks: with Digest, the strongest that it offers, or with Basic.
    ///
    /// Nothing is sent before the first challenge of a protection space. Later requests of the space carry the credentials at once.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - origin: The origin; by default that of the base URL.
    /// - Returns: The policy.
    public static func password(_ user: String, _ password: String, for origin: Origin? = nil) -> AuthenticationPolicy {
        let source = Rule.Source.password(
            .password(user, password),
            schemes: [.digest, .basic],
            isPreemptive: false
        )
        return AuthenticationPolicy(source, Scope(origin))
    }

    /// A user name and a password with Basic (RFC 7617) alone.
    ///
    /// - Parameters:
    ///   - user: The user name, without a colon.
    ///   - password: The password.
    ///   - origin: The origin; by default that of the base URL.
    ///   - isPreemptive: Whether every request carries them, even before a challenge; false by default.
    /// - Returns: The policy.
    public static func basic(
        _ user: String,
        _ password: String,
        for origin: Origin? = nil,
        isPreemptive: Bool = false
    ) -> AuthenticationPolicy {
        let source = Rule.Source.password(.password(user, password), schemes: [.basic], isPreemptive: isPreemptive)
        return AuthenticationPolicy(source, Scope(origin))
    }

    /// A user name and a password with Digest (RFC 7616) alone: the password itself is never sent.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - origin: The origin; by default that of the base URL.
    /// - Returns: The policy.
    public static func digest(_ user: String, _ password: String, for origin: Origin? = nil) -> AuthenticationPolicy {
        let source = Rule.Source.password(.password(user, password), schemes: [.digest], isPreemptive: false)
        return AuthenticationPolicy(source, Scope(origin))
    }

    /// A token that is sent with every request (RFC 6750).
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - origin: The origin; by default that of the base URL.
    /// - Returns: The policy.
    public static func bearer(_ token: String, for origin: Origin? = nil) -> AuthenticationPolicy {
        AuthenticationPolicy(.token(token), Scope(origin))
    }

    /// Tokens from a function, which is called for the first token and whenever a token is refused or about to expire.
    ///
    /// One call serves all waiting requests; see ``TokenSource``. The function may use the same session.
    ///
    /// - Parameters:
    ///   - origin: The origin; by default that of the base URL.
    ///   - refresh: Gets a token.
    /// - Returns: The policy.
    public static func bearer(
        for origin: Origin? = nil,
        refresh: @escaping @Sendable () async throws -> AccessToken
    ) -> AuthenticationPolicy {
        .tokens(TokenSource(FunctionAuthenticator(function: refresh)), for: origin)
    }

    /// Tokens from a source that refreshes them, for example with ``OAuth2``.
    ///
    /// - Parameters:
    ///   - source: The source of the tokens; several sessions may share it.
    ///   - origin: The origin; by default that of the base URL.
    /// - Returns: The policy.
    public static func tokens(_ source: TokenSource, for origin: Origin? = nil) -> AuthenticationPolicy {
        AuthenticationPolicy(.tokens(source), Scope(origin))
    }

    /// Credentials from a store, looked up by origin and realm and sent as with ``password(_:_:for:)``.
    ///
    /// - Parameter store: The store.
    /// - Returns: The policy.
    public static func stored(in store: any CredentialStore) -> AuthenticationPolicy {
        AuthenticationPolicy(.store(store), .any)
    }

    /// The passwords of a netrc file, looked up by exact host and sent as with ``password(_:_:for:)``.
    ///
    /// They apply to the origin of the call's first request; a redirect to another port of the same host gets none.
    ///
    /// - Parameter netrc: The file's content.
    /// - Returns: The policy.
    public static func netrc(_ netrc: Netrc) -> AuthenticationPolicy { AuthenticationPolicy(.netrc(netrc), .any) }

    /// Whether a rule belongs to the origin of a base URL.
    var hasHomeRules: Bool { self.rules.contains { if case .home = $0.scope { true } else { false } } }

    /// Whether the policy never sends a credential.
    var isNone: Bool { self.rules.isEmpty && self.onChallenge == nil }

    /// Whether the program's own code decides about challenges or stores the credentials.
    var runsProgramCode: Bool {
        self.onChallenge != nil || self.rules.contains { if case .store = $0.source { true } else { false } }
    }
}

extension AuthenticationPolicy: ExpressibleByArrayLiteral {
    /// Creates a policy with the rules of several policies, in their order.
    ///
    /// - Parameter policies: The policies; the first handler among them is used.
    public init(_ policies: [AuthenticationPolicy]) {
        self.rules = policies.flatMap(\.rules)
        self.onChallenge = policies.lazy.compactMap(\.onChallenge).first
    }

    public init(arrayLiteral policies: AuthenticationPolicy...) {
        self.init(policies)
    }
}

extension AuthenticationPolicy.Scope {
    fileprivate init(_ origin: Origin?) {
        self = origin.map { .origin($0) } ?? .home
    }
}

// The default mirror would print passwords and tokens.
extension AuthenticationPolicy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of rules.
    public var description: String { "an authentication policy with \(self.rules.count) rules" }

    public var debugDescription: String { self.description }

    public var customMirror: Mirror { Mirror(self, children: ["policy": self.description]) }
}
