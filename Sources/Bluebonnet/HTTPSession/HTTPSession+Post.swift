// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

// POST. For the two functions of each result, see the methods without a form.
extension HTTPSession {
    /// Sends a POST request and decodes the JSON of its response.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, beside a body; nil for none.
    ///   - parameters: The parameters, written into the body as ``requestSerializer`` says; nil for none.
    ///   - body: The body: bytes, a file, a stream; nil for none. Not together with `parameters` or `multipart`.
    ///   - multipart: A form that is sent while its files are read; `parameters` become its first fields. Nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - progress: Called with the progress of the request's body, else of the response's, on no particular thread.
    ///   - type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    public func post<Value: Decodable & Sendable>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        as type: Value.Type
    ) async throws -> Value {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, body, multipart)
        return try await self.prepare(.post, path, arguments).value(as: type)
    }

    /// Sends a POST request and converts its response into a value: the whole response unless a serializer is given.
    ///
    /// Without a serializer, a status of 200 to 299 is accepted, with any content type. A JSON body is written with
    /// `api.requestSerializer = .json`, a form otherwise.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, beside a body; nil for none.
    ///   - parameters: The parameters, written into the body as ``requestSerializer`` says; nil for none.
    ///   - body: The body: bytes, a file, a stream; nil for none. Not together with `parameters` or `multipart`.
    ///   - multipart: A form that is sent while its files are read; `parameters` become its first fields. Nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - progress: Called with the progress of the request's body, else of the response's, on no particular thread.
    ///   - serializer: Validates the response and converts it into a value; the whole response by default.
    /// - Returns: The value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        serializer: Serializer = WholeResponseSerializer.response
    ) async throws -> Serializer.Output {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, body, multipart)
        return try await self.prepare(.post, path, arguments).value(serializer: serializer)
    }

    /// Sends a POST request with a value of any `Encodable` type for its parameters, and decodes the JSON of its response.
    @_disfavoredOverload
    public func post<Value: Decodable & Sendable>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: some Encodable,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        as type: Value.Type
    ) async throws -> Value {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, nil, multipart)
        return try await self.prepare(.post, path, arguments).value(as: type)
    }

    /// Sends a POST request with a value of any `Encodable` type for its parameters, and converts its response into a
    /// value: the whole response unless a serializer is given.
    @_disfavoredOverload
    @discardableResult
    public func post<Serializer: ResponseSerializer>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: some Encodable,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        serializer: Serializer = WholeResponseSerializer.response
    ) async throws -> Serializer.Output {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, nil, multipart)
        return try await self.prepare(.post, path, arguments).value(serializer: serializer)
    }
}
