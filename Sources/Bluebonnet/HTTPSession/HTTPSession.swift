// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import FoundationEssentials
public import HTTPTypes

/// A client of one web service: a base URL, the coding of parameters and responses, and the methods to call.
///
/// It is a value around a ``Session``: copies share the session and its connections, and each may have its own serializer, codec and options.
///
/// ```swift
/// var api = try HTTPSession("https://api.example.com/v1")
/// let users = try await api.get("users", parameters: ["page": page, "name": name], as: [User].self)
///
/// api.requestSerializer = .json
/// let user = try await api.post("users", parameters: NewUser(name: "Ada"), as: User.self)
/// ```
public struct HTTPSession: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The session that sends the requests.
    ///
    /// A session that this client has made knows the base URL. Whatever sends requests with it, an `ImageDownloader`
    /// for example, sends the header fields, the credentials without an origin, the client certificate and the trailer
    /// fields of its configuration to the origin of the base URL only, as this client does.
    public let session: Session

    /// The URL that paths are relative to, if there is one; its path ends in a slash, unless it is empty.
    public let baseURL: URL?

    /// The base URL as it was given, which an empty path stands for; nil if it is ``baseURL``.
    let baseURLWithoutSlash: URL?

    /// Scheme and authority of the base URL as written.
    let baseAuthority: String?

    /// The origin of the base URL, which the serializer's fields are meant for; nil without a base URL, or if it cannot
    /// be used.
    let home: Origin?

    /// Encodes the parameters of requests, and sets their first header fields; form encoding unless changed.
    public var requestSerializer: any RequestSerializer

    /// Converts the values of parameters for the serializer.
    public var encoder = ParameterEncoder()

    /// Decodes the JSON of responses, for verbs, prepared calls and tasks alike.
    ///
    /// With the defaults of both, it reads what ``encoder`` and the JSON serializer write. A serializer that was given
    /// its own decoder keeps it.
    public var decoder = ResponseDecoder()

    /// The options of every request, which override those of the session.
    public var options = RequestOptions()

    /// Creates a client with its own session from the text of a base URL.
    ///
    /// ```swift
    /// let api = try HTTPSession("https://api.example.com/v1", headers: ["X-Api-Key": key])
    /// ```
    ///
    /// - Parameters:
    ///   - baseURL: An http or https URL with a host, without a query and a fragment. A slash is added to its path as ``init(baseURL:configuration:transport:)``
    ///     does.
    ///   - headers: Header fields of every request to the origin of the base URL. They replace those of the same name in
    ///     `configuration.headers`, and become a part of the session's configuration.
    ///   - configuration: How the session behaves.
    ///   - transport: The transport; the shared engine by default.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``; with ``SessionError/Code/invalidRequest`` for a
    ///   header field that is not valid (see ``HeaderFields``); ``SessionError/Code/invalidConfiguration`` if its host is
    ///   pinned and its scheme is http.
    public init(
        _ baseURL: String,
        headers: any HeaderFields = HTTPFields(),
        configuration: Session.Configuration = Session.Configuration(),
        transport: (any Transport)? = nil
    ) throws(SessionError) {
        let baseURL = try Self.base(baseURL)
        var configuration = configuration
        configuration.headers.replaceFields(with: try headers.makeHeaderFields())
        try Self.check(baseURL, configuration)
        self.init(baseURL: baseURL, configuration: configuration, transport: transport)
    }

    /// Creates a client with its own session.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that paths are relative to. A slash is added to its path, unless it ends in one or is
    ///     empty, so that `users` under `https://example.com/v1` is `https://example.com/v1/users`.
    ///   - configuration: How the session behaves.
    ///   - transport: The transport; the shared engine by default.
    public init(
        baseURL: URL? = nil,
        configuration: Session.Configuration = Session.Configuration(),
        transport: (any Transport)? = nil
    ) {
        self.init(baseURL: baseURL, session: Session(configuration, transport, home: Self.origin(of: baseURL)))
    }

    /// Creates a client with its own session; see ``init(baseURL:configuration:transport:)``.
    public init(
        _ baseURL: URL,
        configuration: Session.Configuration = Session.Configuration(),
        transport: (any Transport)? = nil
    ) {
        self.init(baseURL: baseURL, configuration: configuration, transport: transport)
    }

    /// Creates a client with an existing session from the text of a base URL.
    ///
    /// - Parameters:
    ///   - baseURL: The text of the URL that paths are relative to, under the rules of
    ///     ``init(_:headers:configuration:transport:)``.
    ///   - session: The session that sends the requests.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``; ``SessionError/Code/invalidConfiguration`` if
    ///   its host is pinned and its scheme is http.
    public init(_ baseURL: String, session: Session) throws(SessionError) {
        let baseURL = try Self.base(baseURL)
        try Self.check(baseURL, session.configuration)
        self.init(baseURL: baseURL, session: session)
    }

    /// Creates a client with an existing session; see ``init(baseURL:session:)``.
    public init(_ baseURL: URL, session: Session) {
        self.init(baseURL: baseURL, session: session)
    }

    /// Creates a client with an existing session.
    ///
    /// The session's secrets are meant for the origin of this base URL in the requests of this client. In requests that
    /// the session is given directly, they are sent to every origin, unless another client has made the session for its
    /// own base URL.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that paths are relative to; see ``init(baseURL:configuration:transport:)``.
    ///   - session: The session that sends the requests.
    public init(baseURL: URL? = nil, session: Session) {
        self.session = session
        self.baseURL = baseURL.map(Self.withSlash)
        self.baseURLWithoutSlash = baseURL == self.baseURL ? nil : baseURL
        self.baseAuthority = baseURL.flatMap(Self.authority)
        self.home = Self.origin(of: baseURL)
        self.requestSerializer = HTTPRequestSerializer()
    }

    private static func origin(of baseURL: URL?) -> Origin? { baseURL.flatMap { try? RequestTarget($0).origin } }
}
