// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import HTTPTypes

/// A request as it is before it is sent: a value with no connection and no task.
public struct Request: Sendable {
    /// The method, for example `.get`; case-sensitive (RFC 9110 section 9.1).
    public var method: HTTPRequest.Method

    /// The absolute URL.
    ///
    /// User information and fragment never go onto the wire.
    public var url: URL

    /// The header fields set so far.
    ///
    /// What the engine computes (Host, Content-Length, Transfer-Encoding) is added when it is sent.
    public var headers: HTTPFields

    /// The body.
    public var body: RequestBody

    /// What this request asks for differently from its session.
    public var options: RequestOptions

    /// Values for interceptors, which are never sent.
    public var context = RequestContext()

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method, GET unless given.
    ///   - url: The absolute URL.
    ///   - headers: The header fields.
    ///   - body: The body, none unless given.
    ///   - options: What to do differently from the session.
    public init(
        method: HTTPRequest.Method = .get,
        url: URL,
        headers: HTTPFields = HTTPFields(),
        body: RequestBody = .none,
        options: RequestOptions = RequestOptions()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.options = options
    }
}
