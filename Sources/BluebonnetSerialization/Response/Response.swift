// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import HTTPTypes

/// A response that has arrived whole: status, header fields and body.
public struct Response: Sendable {
    /// The status, for example 200 OK.
    public var status: HTTPResponse.Status

    /// The header fields.
    public var headers: HTTPFields

    /// The body; empty where there was none.
    public var body: Data

    /// The URL that answered, after redirects; nil if it is not known.
    public var url: URL?

    /// The method of the request that was answered; nil if it is not known.
    public var method: HTTPRequest.Method?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - url: The URL that answered.
    ///   - method: The method of the request.
    public init(
        status: HTTPResponse.Status,
        headers: HTTPFields = HTTPFields(),
        body: Data = Data(),
        url: URL? = nil,
        method: HTTPRequest.Method? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.method = method
    }
}
