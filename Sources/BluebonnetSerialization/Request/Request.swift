// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import HTTPTypes

/// A request before it is sent: a value without a connection or a task.
public struct Request: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    @usableFromInline
    struct Parts: Sendable {
        @usableFromInline var method: HTTPRequest.Method
        @usableFromInline var url: URL
        @usableFromInline var headers: HTTPFields
        @usableFromInline var body: RequestBody
        @usableFromInline var options: RequestOptions
        @usableFromInline var context = RequestContext()
    }

    /// The parts, in an array with one element: a box that is copied on write.
    ///
    /// A request is passed from stage to stage, and kept by its call and by its response. Each copy of the box costs
    /// one reference, while the separate parts would cost seven.
    @usableFromInline
    var box: [Parts]

    /// The method, for example `.get`; case-sensitive (RFC 9110 section 9.1).
    @inlinable
    public var method: HTTPRequest.Method {
        get { self.box[0].method }
        _modify { yield &self.box[0].method }
    }

    /// The absolute URL.
    ///
    /// User information and fragment are never sent.
    @inlinable
    public var url: URL {
        get { self.box[0].url }
        _modify { yield &self.box[0].url }
    }

    /// The header fields set so far.
    ///
    /// The fields that the engine computes (Host, Content-Length, Transfer-Encoding) are added when it is sent.
    @inlinable
    public var headers: HTTPFields {
        get { self.box[0].headers }
        _modify { yield &self.box[0].headers }
    }

    /// The body.
    @inlinable
    public var body: RequestBody {
        get { self.box[0].body }
        _modify { yield &self.box[0].body }
    }

    /// The options in which this request differs from its session.
    @inlinable
    public var options: RequestOptions {
        get { self.box[0].options }
        _modify { yield &self.box[0].options }
    }

    /// Values for interceptors; they are never sent.
    @inlinable
    public var context: RequestContext {
        get { self.box[0].context }
        _modify { yield &self.box[0].context }
    }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method, GET unless given.
    ///   - url: The absolute URL.
    ///   - headers: The header fields.
    ///   - body: The body, none unless given.
    ///   - options: The options in which it differs from the session.
    public init(
        method: HTTPRequest.Method = .get,
        url: URL,
        headers: HTTPFields = HTTPFields(),
        body: RequestBody = .none,
        options: RequestOptions = RequestOptions()
    ) {
        self.box = [Parts(method: method, url: url, headers: headers, body: body, options: options)]
    }
}
