// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

extension HTTPSession {
    /// Sends a POST request: `api.post("users", parameters: ["name": name], as: User.self)`.
    ///
    /// The content is made of parameters, a body or a form. The result is decoded JSON (`as:`), the value of a
    /// serializer (`serializer:`), or the whole `Response`:
    ///
    /// ```swift
    /// let user = try await api.post("users", parameters: NewUser(name: "Ada"), as: User.self)
    /// try await api.post("notes", body: .data(text), headers: [.contentType: "text/plain"])
    /// try await api.post("photos", multipart: form) { print($0.fraction ?? 0) }
    /// ```
    ///
    /// Parameters are written as a form, or as JSON with `api.requestSerializer = .json`. ``StateChangingMethod`` lists
    /// all arguments.
    public var post: StateChangingMethod { StateChangingMethod(client: self, method: .post) }

    /// Sends a PUT request: `api.put("files/a", body: .file(url))`; with the arguments and results of ``post``.
    public var put: StateChangingMethod { StateChangingMethod(client: self, method: .put) }

    /// Sends a PATCH request: `api.patch("users/1", parameters: ["name": name])`; with the arguments and results of ``post``.
    public var patch: StateChangingMethod { StateChangingMethod(client: self, method: .patch) }

    /// Sends a DELETE request: `api.delete(["users", name])`; with the arguments and results of ``post``.
    ///
    /// Parameters are written into the query unless the serializer says otherwise.
    public var delete: StateChangingMethod { StateChangingMethod(client: self, method: .delete) }
}

extension HTTPSession {
    /// A state-changing method (RFC 9110 section 13.1.1) of a client, called like a function: ``HTTPSession/post``,
    /// ``HTTPSession/put``, ``HTTPSession/patch`` and ``HTTPSession/delete``.
    ///
    /// Its result may be ignored. A value that is kept has the settings that the client had when the value was made.
    public struct StateChangingMethod: Sendable {
        let client: HTTPSession
        let method: HTTPRequest.Method
    }
}

// For the two functions of each result, see the safe methods.
extension HTTPSession.StateChangingMethod {
    /// Sends the request and decodes the JSON of its response.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``HTTPSession/baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, beside a body; nil for none.
    ///   - parameters: The parameters, written into the body, or into the query for DELETE, as
    ///     ``HTTPSession/requestSerializer`` says; nil for none.
    ///   - body: The body: bytes, a file, a stream; nil for none. Not together with `parameters` or `multipart`.
    ///   - multipart: A form that is sent while its files are read; `parameters` become its first fields. Nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``HTTPSession/options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - type: The type to decode.
    ///   - progress: Called with the progress of the request's body, else of the response's, on no particular thread.
    /// - Returns: The decoded value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    public func callAsFunction<Value: Decodable & Sendable>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        as type: Value.Type,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, body, multipart)
        return try await self.client.prepare(self.method, path, arguments).value(as: type)
    }

    /// Sends the request and converts its response into a value: the whole response unless a serializer is given.
    ///
    /// Without a serializer, a status of 200 to 299 is accepted, with any content type.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``HTTPSession/baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, beside a body; nil for none.
    ///   - parameters: The parameters, written into the body, or into the query for DELETE, as
    ///     ``HTTPSession/requestSerializer`` says; nil for none.
    ///   - body: The body: bytes, a file, a stream; nil for none. Not together with `parameters` or `multipart`.
    ///   - multipart: A form that is sent while its files are read; `parameters` become its first fields. Nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``HTTPSession/options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - serializer: Validates the response and converts it into a value; the whole response by default.
    ///   - progress: Called with the progress of the request's body, else of the response's, on no particular thread.
    /// - Returns: The value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    @discardableResult
    public func callAsFunction<Serializer: ResponseSerializer>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        serializer: Serializer = WholeResponseSerializer.response,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Serializer.Output {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, body, multipart)
        return try await self.client.prepare(self.method, path, arguments).value(serializer: serializer)
    }

    /// Sends the request with a value of any `Encodable` type for its parameters, and decodes the JSON of its response.
    @_disfavoredOverload
    public func callAsFunction<Value: Decodable & Sendable>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: (some Encodable)?,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        as type: Value.Type,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, nil, multipart)
        return try await self.client.prepare(self.method, path, arguments).value(as: type)
    }

    /// Sends the request with a value of any `Encodable` type for its parameters, and converts its response into a
    /// value: the whole response unless a serializer is given.
    @_disfavoredOverload
    @discardableResult
    public func callAsFunction<Serializer: ResponseSerializer>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: (some Encodable)?,
        multipart: MultipartFormData? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        serializer: Serializer = WholeResponseSerializer.response,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Serializer.Output {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, nil, multipart)
        return try await self.client.prepare(self.method, path, arguments).value(serializer: serializer)
    }
}
