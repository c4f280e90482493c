// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import HTTPTypes

/// A collected response: status, header fields and the whole body.
public struct Response: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, for example 200 OK.
    public var status: HTTPResponse.Status

    /// The header fields.
    public var headers: HTTPFields

    /// The body; empty if there was none.
    public var body: Data

    /// The source of the response, of a type that is not known here: one value would contain itself, because a request
    /// can hold an error with a response.
    @usableFromInline
    package var source: (any ResponseSource)?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - request: The request of the response.
    public init(
        status: HTTPResponse.Status,
        headers: HTTPFields = HTTPFields(),
        body: Data = Data(),
        request: Request? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.source = request.map { RequestSource(request: $0) }
    }

    /// Creates a response with a source.
    @inlinable
    package init(status: HTTPResponse.Status, headers: HTTPFields, body: Data, from source: any ResponseSource) {
        self.status = status
        self.headers = headers
        self.body = body
        self.source = source
    }

    /// The request of the response, after redirects; nil if unknown.
    public var request: Request? { self.source?.request }

    /// The URL of the response, after redirects; nil if unknown.
    public var url: URL? { self.request?.url }

    /// The method of the request; nil if unknown.
    public var method: HTTPRequest.Method? { self.request?.method }
}

/// The source of a response.
@usableFromInline
package protocol ResponseSource: Sendable {
    /// The request of the response.
    var request: Request { get }
}

/// The source of a response that did not come from a session.
private struct RequestSource: ResponseSource {
    let request: Request
}
