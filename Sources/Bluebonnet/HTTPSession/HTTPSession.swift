// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import FoundationEssentials

/// A client of one web service: a base URL, how parameters and responses are coded, and a function for every method.
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
public struct HTTPSession: Sendable {
    /// What sends the requests.
    public let session: Session

    /// What paths are relative to, if there is anything; its path ends in a slash, unless it is empty.
    public let baseURL: URL?

    /// Scheme and authority of the base URL as they are written.
    let baseAuthority: String?

    /// The origin of the base URL, which what the serializer sets is meant for; nil without a base URL, or if it cannot be used.
    let home: Origin?

    /// What writes the parameters into requests, and gives them their first header fields; form encoding unless changed.
    public var requestSerializer: any RequestSerializer

    /// What turns the values of parameters into what the serializer writes.
    public var encoder = ParameterEncoder()

    /// What decodes the JSON of responses, for verbs, prepared calls and tasks alike.
    ///
    /// With the defaults of both, it reads what ``encoder`` and the JSON serializer write. A serializer that was given a decoder of its own keeps it.
    public var decoder = ResponseDecoder()

    /// What every request asks for differently from the session.
    public var options = RequestOptions()

    /// Creates a client from the text of a base URL, with a session of its own.
    ///
    /// - Parameters:
    ///   - baseURL: An http or https URL with a host, without a query and a fragment. A slash is added to its path as ``init(baseURL:configuration:transport:)``
    ///     does.
    ///   - configuration: How the session behaves.
    ///   - transport: What carries the bytes; the shared engine unless given.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``; ``SessionError/Code/invalidConfiguration`` if its host is pinned and
    ///   its scheme is http.
    public init(
        _ baseURL: String,
        configuration: Session.Configuration = Session.Configuration(),
        transport: (any Transport)? = nil
    ) throws(SessionError) {
        let baseURL = try Self.base(baseURL)
        try Self.check(baseURL, configuration)
        self.init(baseURL: baseURL, configuration: configuration, transport: transport)
    }

    /// Creates a client with a session of its own.
    ///
    /// - Parameters:
    ///   - baseURL: What paths are relative to. A slash is added to its path, unless it has one at its end or is empty, so that `users`
    ///     under `https://example.com/v1` is `https://example.com/v1/users`.
    ///   - configuration: How the session behaves.
    ///   - transport: What carries the bytes; the shared engine unless given.
    public init(
        baseURL: URL? = nil,
        configuration: Session.Configuration = Session.Configuration(),
        transport: (any Transport)? = nil
    ) {
        self.init(baseURL: baseURL, session: Session(configuration: configuration, transport: transport))
    }

    /// Creates a client of a session that exists.
    ///
    /// - Parameters:
    ///   - baseURL: What paths are relative to; see ``init(baseURL:configuration:transport:)``.
    ///   - session: What sends the requests.
    public init(baseURL: URL? = nil, session: Session) {
        self.session = session
        self.baseURL = baseURL.map(Self.withSlash)
        self.baseAuthority = baseURL.flatMap(Self.authority)
        self.home = baseURL.flatMap { try? RequestTarget($0).origin }
        self.requestSerializer = HTTPRequestSerializer()
    }
}
