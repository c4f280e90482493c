// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import FoundationEssentials
public import HTTPTypes

/// A client of one web service: a base URL, a request serializer, and a function for every method.
///
/// It is a value around a ``Session``: copies share the session and its connections, and each may have its own base URL and serializer.
///
/// ```swift
/// var api = HTTPSession(baseURL: URL(string: "https://example.com/v1"))
/// let users = try await api.get("users", parameters: ["page": 2], as: [User].self)
///
/// api.requestSerializer = .json
/// let user = try await api.post("users", parameters: NewUser(name: "Ada"), as: User.self)
/// ```
public struct HTTPSession: Sendable {
    /// What sends the requests.
    public let session: Session

    /// What paths are relative to, if there is anything; its path ends in a slash, unless it is empty.
    public let baseURL: URL?

    /// What writes the parameters into requests, and gives them their first header fields; form encoding unless changed.
    public var requestSerializer: any RequestSerializer

    /// What decodes the types that verbs are asked for; Foundation's `JSONDecoder` with its defaults unless changed.
    public var decoder: any DataDecoder = JSONDecoder()

    /// What every request asks for differently from the session.
    public var options = RequestOptions()

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
        self.requestSerializer = HTTPRequestSerializer()
    }

    /// Builds the request that a verb sends.
    ///
    /// Header fields, from the weakest to the strongest: the session's, the serializer's, the media type of the body, `headers`.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path relative to ``baseURL``, or an absolute URL; see ``url(for:)``.
    ///   - parameters: The parameters; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    /// - Returns: The request.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``, ``SessionError/Code/invalidRequest`` or
    ///   ``SessionError/Code/serializationFailed``.
    public func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: ParameterValue? = nil,
        headers: HTTPFields = HTTPFields()
    ) throws(SessionError) -> Request {
        let url = try self.url(for: path)
        var request = Request(method: method, url: url, options: self.options)
        do {
            request = try self.requestSerializer.serialize(request, parameters: parameters)
        } catch {
            throw SessionError(error, request: request)
        }
        try request.replaceHeaders(headers)
        return request
    }
}

extension Request {
    /// More header fields than any server takes; the collection of fields traps far above it.
    private static var largestFieldCount: Int { 1000 }

    /// Sets header fields, each in place of all fields of its name.
    mutating func replaceHeaders(_ headers: HTTPFields) throws(SessionError) {
        guard headers.count + self.headers.count <= Self.largestFieldCount else {
            throw SessionError(
                .invalidRequest,
                reason: "the request has more than \(Self.largestFieldCount) header fields",
                request: self
            )
        }
        for field in headers { self.headers[fields: field.name] = headers[fields: field.name] }
    }
}
