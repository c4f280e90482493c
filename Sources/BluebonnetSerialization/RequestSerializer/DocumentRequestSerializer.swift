// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A serializer that encodes parameters as a document in the body, and otherwise behaves like an
/// ``HTTPRequestSerializer``.
///
/// Methods that encode parameters in the URL still do so.
public protocol DocumentRequestSerializer: RequestSerializer {
    /// The serializer that sets header fields and options, and encodes queries.
    var base: HTTPRequestSerializer { get set }

    /// The Content-Type of a request that has none.
    var contentType: String { get }

    /// Encodes parameters as a document.
    ///
    /// - Parameter parameters: The parameters.
    /// - Returns: The body.
    /// - Throws: ``SerializationError`` with the coding path of a value that cannot be encoded.
    func body(from parameters: ParameterValue) throws(SerializationError) -> RequestBody
}

extension DocumentRequestSerializer {
    public func serialize(_ request: Request, parameters: ParameterValue?) throws(SerializationError) -> Request {
        if self.base.encodesParametersInURL(request.method) {
            return try self.base.serialize(request, parameters: parameters)
        }
        var result = self.base.applyDefaults(to: request)
        guard let parameters else { return result }
        result.setContentTypeIfAbsent(self.contentType)
        result.body = try self.body(from: parameters)
        return result
    }

    /// Header fields for every request that does not have them.
    public var defaultHeaders: HTTPFields {
        get { self.base.defaultHeaders }
        set { self.base.defaultHeaders = newValue }
    }

    /// The options in which the requests differ from their session.
    public var options: RequestOptions {
        get { self.base.options }
        set { self.base.options = newValue }
    }

    /// The methods that encode parameters in the URL.
    public var methodsEncodingParametersInURL: Set<HTTPRequest.Method> {
        get { self.base.methodsEncodingParametersInURL }
        set { self.base.methodsEncodingParametersInURL = newValue }
    }

    /// How parameters are encoded as a query.
    public var queryStringStyle: QueryStringStyle {
        get { self.base.queryStringStyle }
        set { self.base.queryStringStyle = newValue }
    }

    /// The value of a default header field; see ``HTTPRequestSerializer/value(forHeader:)``.
    public func value(forHeader name: String) -> String? {
        self.base.value(forHeader: name)
    }

    /// Sets or removes a default header field; see ``HTTPRequestSerializer/setValue(_:forHeader:)``.
    public mutating func setValue(_ value: String?, forHeader name: String) throws(SerializationError) {
        try self.base.setValue(value, forHeader: name)
    }

    /// Sets Basic credentials; see ``HTTPRequestSerializer/setAuthorization(username:password:)``.
    public mutating func setAuthorization(username: String, password: String) throws(SerializationError) {
        try self.base.setAuthorization(username: username, password: password)
    }

    /// Removes the credentials.
    public mutating func clearAuthorization() {
        self.base.clearAuthorization()
    }
}
