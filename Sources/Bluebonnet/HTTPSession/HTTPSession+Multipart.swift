// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

extension HTTPSession {
    /// Builds a request with a multipart form for its body.
    ///
    /// - Parameters:
    ///   - method: The method; GET, HEAD and TRACE take no form.
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - multipart: The form. Parameters are parts of it, see its `append(parameters:)`.
    ///   - headers: Header fields that replace those of the same name.
    /// - Returns: The request.
    /// - Throws: ``SessionError`` with ``SessionError/Code/invalidURL``, ``SessionError/Code/invalidRequest`` or
    ///   ``SessionError/Code/serializationFailed``.
    public func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        multipart: MultipartFormData,
        headers: HTTPFields = HTTPFields()
    ) throws(SessionError) -> Request {
        guard ![.get, .head, .trace].contains(method) else {
            throw SessionError(.invalidRequest, reason: "a \(method.rawValue) request takes no multipart form")
        }
        var request = try self.request(method, path, parameters: nil)
        request.body = .multipart(multipart)
        request.headers[.contentType] = multipart.contentType
        try request.replaceHeaders(headers)
        return request
    }
}
