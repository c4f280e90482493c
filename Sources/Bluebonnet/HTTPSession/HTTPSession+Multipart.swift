// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

extension HTTPSession {
    /// Builds a request with a multipart form for its body.
    ///
    /// A form without any part, and without parameters, leaves the request as the serializer makes it without parameters.
    ///
    /// - Parameters:
    ///   - method: The method; GET and HEAD take no form.
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: Plain fields that go before the form's parts; nil for none.
    ///   - multipart: The form.
    ///   - headers: Header fields that replace those of the same name.
    /// - Returns: The request.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``, ``SessionError/Code/invalidRequest`` or
    ///   ``SessionError/Code/serializationFailed``.
    public func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        parameters: ParameterValue? = nil,
        multipart: MultipartFormData,
        headers: HTTPFields = HTTPFields()
    ) throws(SessionError) -> Request {
        var request = Request(method: method, url: try self.url(for: path), options: self.options)
        do {
            request = try self.requestSerializer.serialize(request, parameters: parameters, multipart: multipart)
        } catch {
            throw SessionError(error, request: request)
        }
        try request.replaceHeaders(headers)
        return request
    }
}
