// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import HTTPTypes

extension RequestSerializer {
    /// Creates a request from the text of a URL.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: An absolute http or https URL.
    ///   - parameters: The parameters, nil for none.
    /// - Returns: The request with query or body and header fields set.
    /// - Throws: ``SerializationError/Code/invalidURL`` if the text is not such a URL; otherwise the errors of
    ///   ``RequestSerializer/serialize(_:parameters:)``.
    public func makeRequest(
        _ method: HTTPRequest.Method,
        _ url: String,
        parameters: ParameterValue? = nil
    ) throws(SerializationError) -> Request {
        try self.serialize(try Request(method: method, parsing: url), parameters: parameters)
    }

    /// Creates a request from the text of a URL and a literal of variables; a nil value omits its key.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: An absolute http or https URL.
    ///   - parameters: The parameters.
    ///   - encoder: The encoder of the values; the default one unless given.
    /// - Returns: The request with query or body and header fields set.
    /// - Throws: ``SerializationError/Code/invalidURL`` if the text is not such a URL; otherwise the errors of
    ///   ``ParameterEncoder/encode(_:)`` and ``RequestSerializer/serialize(_:parameters:)``.
    @_disfavoredOverload
    public func makeRequest(
        _ method: HTTPRequest.Method,
        _ url: String,
        parameters: Parameters,
        encoder: ParameterEncoder = ParameterEncoder()
    ) throws(SerializationError) -> Request {
        try self.makeRequest(method, url, encoding: parameters, encoder: encoder)
    }

    /// Creates a request from the text of a URL and a value of any `Encodable` type.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: An absolute http or https URL.
    ///   - value: The parameters.
    ///   - encoder: The encoder of the value; the default one unless given.
    /// - Returns: The request with query or body and header fields set.
    /// - Throws: ``SerializationError/Code/invalidURL`` if the text is not such a URL; otherwise the errors of
    ///   ``ParameterEncoder/encode(_:)`` and ``RequestSerializer/serialize(_:parameters:)``.
    public func makeRequest(
        _ method: HTTPRequest.Method,
        _ url: String,
        encoding value: some Encodable,
        encoder: ParameterEncoder = ParameterEncoder()
    ) throws(SerializationError) -> Request {
        try self.serialize(try Request(method: method, parsing: url), encoding: value, encoder: encoder)
    }

    /// Encodes a value of any `Encodable` type in a request; see ``ParameterEncoder``.
    ///
    /// - Parameters:
    ///   - request: The request so far.
    ///   - value: The value.
    ///   - encoder: The encoder of the value; the default one unless given.
    /// - Returns: The request with query or body and header fields set.
    /// - Throws: ``SerializationError`` if the value cannot be encoded.
    public func serialize(
        _ request: Request,
        encoding value: some Encodable,
        encoder: ParameterEncoder = ParameterEncoder()
    ) throws(SerializationError) -> Request {
        try self.serialize(request, parameters: try encoder.encode(value))
    }

    /// Encodes parameters in a request's query, regardless of its method.
    ///
    /// - Parameters:
    ///   - request: The request so far.
    ///   - query: The parameters, a dictionary unless ``RequestSerializer/queryStringStyle`` is a closure that accepts
    ///     something else.
    /// - Returns: The request, with the pairs appended to its query.
    /// - Throws: ``SerializationError`` if the parameters cannot be encoded.
    public func serialize(_ request: Request, query: ParameterValue) throws(SerializationError) -> Request {
        guard let text = try self.queryStringStyle.encode(query, for: request) else { return request }
        var result = request
        result.url = try QueryString.append(text, to: request.url)
        return result
    }

    /// Encodes a literal of variables in a request's query, regardless of its method; a nil value omits its key.
    ///
    /// - Parameters:
    ///   - request: The request so far.
    ///   - query: The parameters.
    ///   - encoder: The encoder of the values; the default one unless given.
    /// - Returns: The request, with the pairs appended to its query.
    /// - Throws: ``SerializationError`` if the parameters cannot be encoded.
    @_disfavoredOverload
    public func serialize(
        _ request: Request,
        query: Parameters,
        encoder: ParameterEncoder = ParameterEncoder()
    ) throws(SerializationError) -> Request {
        try self.serialize(request, query: try encoder.encode(query))
    }

    /// Encodes a multipart form in a request, parameters first.
    ///
    /// The names of the parameters follow the format of ``RequestSerializer/queryStringStyle``. Content-Type is
    /// overwritten. If the form has no parts, the request is serialized without parameters.
    ///
    /// - Parameters:
    ///   - request: The request so far; its method must not be GET or HEAD.
    ///   - parameters: Plain fields that precede the form's parts, nil for none.
    ///   - multipart: The form.
    /// - Returns: The request with body and header fields set.
    /// - Throws: ``SerializationError/Code/bodyNotAllowed`` for GET and HEAD; ``SerializationError`` if the parameters
    ///   cannot be encoded or the form is invalid.
    public func serialize(
        _ request: Request,
        parameters: ParameterValue? = nil,
        multipart: MultipartFormData
    ) throws(SerializationError) -> Request {
        let method = request.method.rawValue.asciiUppercased
        guard method != "GET", method != "HEAD" else {
            throw SerializationError(
                .bodyNotAllowed,
                reason: "a \(method) request takes no multipart form; use POST or PUT"
            )
        }
        var form = multipart
        if let parameters {
            var fields = MultipartFormData(boundary: multipart.boundary)
            try fields.append(parameters: parameters, format: self.fieldFormat, encoding: self.textEncoding)
            form = try multipart.prepending(fields)
        }
        if let problem = form.problem { throw problem }
        var result = try self.serialize(request, parameters: nil)
        guard !form.isEmpty else { return result }
        result.body = .multipart(form)
        result.headers[.contentType] = form.contentType
        return result
    }

    /// A closure encodes a whole query and no names; the fields are then named in the default format.
    private var fieldFormat: QueryFormat {
        if case .format(let format) = self.queryStringStyle { format } else { QueryFormat() }
    }

    private var textEncoding: TextEncoding {
        switch self {
        case let http as HTTPRequestSerializer: http.textEncoding
        case let other as any DocumentRequestSerializer: other.base.textEncoding
        default: .utf8
        }
    }
}
