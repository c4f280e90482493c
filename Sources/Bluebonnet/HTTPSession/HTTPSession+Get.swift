// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

// The methods without a form. Of the two functions for each result, the one that takes any `Encodable` type is
// disfavored: a literal is then always `Parameters`, whatever its elements are, and the compiler names a value that it
// cannot contain. Only this attribute can express that.
extension HTTPSession {
    /// Sends a GET request and decodes the JSON of its response.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, whatever the serializer; nil for none.
    ///   - parameters: The parameters, written into the query unless the serializer says otherwise; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - progress: Called with the progress of the response's body, on no particular thread.
    ///   - type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    public func get<Value: Decodable & Sendable>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        as type: Value.Type
    ) async throws -> Value {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress)
        return try await self.prepare(.get, path, arguments).value(as: type)
    }

    /// Sends a GET request and converts its response into a value: the whole response unless a serializer is given.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, whatever the serializer; nil for none.
    ///   - parameters: The parameters, written into the query unless the serializer says otherwise; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - progress: Called with the progress of the response's body, on no particular thread.
    ///   - serializer: Validates the response and converts it into a value; the whole response by default.
    /// - Returns: The value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    public func get<Serializer: ResponseSerializer>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        serializer: Serializer = WholeResponseSerializer.response
    ) async throws -> Serializer.Output {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress)
        return try await self.prepare(.get, path, arguments).value(serializer: serializer)
    }

    /// Sends a GET request with a value of any `Encodable` type for its parameters, and decodes the JSON of its response.
    @_disfavoredOverload
    public func get<Value: Decodable & Sendable>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: some Encodable,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        as type: Value.Type
    ) async throws -> Value {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress)
        return try await self.prepare(.get, path, arguments).value(as: type)
    }

    /// Sends a GET request with a value of any `Encodable` type for its parameters, and converts its response into a
    /// value: the whole response unless a serializer is given.
    @_disfavoredOverload
    public func get<Serializer: ResponseSerializer>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: some Encodable,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        serializer: Serializer = WholeResponseSerializer.response
    ) async throws -> Serializer.Output {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress)
        return try await self.prepare(.get, path, arguments).value(serializer: serializer)
    }

    /// Sends a HEAD request and returns the status and the header fields of its response.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, whatever the serializer; nil for none.
    ///   - parameters: The parameters, written into the query unless the serializer says otherwise; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    /// - Returns: The response, without a body.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    public func head(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil
    ) async throws -> Response {
        let arguments = CallArguments(query, parameters, headers, options, timeout)
        return try await self.prepare(.head, path, arguments).response()
    }

    /// Sends a DELETE request and decodes the JSON of its response.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, whatever the serializer; nil for none.
    ///   - parameters: The parameters, written into the query unless the serializer says otherwise; nil for none.
    ///   - body: The body: bytes, a file, a stream; nil for none. Not together with `parameters`.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - progress: Called with the progress of the request's body, else of the response's, on no particular thread.
    ///   - type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    public func delete<Value: Decodable & Sendable>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        as type: Value.Type
    ) async throws -> Value {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, body)
        return try await self.prepare(.delete, path, arguments).value(as: type)
    }

    /// Sends a DELETE request and converts its response into a value: the whole response unless a serializer is given.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, whatever the serializer; nil for none.
    ///   - parameters: The parameters, written into the query unless the serializer says otherwise; nil for none.
    ///   - body: The body: bytes, a file, a stream; nil for none. Not together with `parameters`.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - progress: Called with the progress of the request's body, else of the response's, on no particular thread.
    ///   - serializer: Validates the response and converts it into a value; the whole response by default.
    /// - Returns: The value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    @discardableResult
    public func delete<Serializer: ResponseSerializer>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        serializer: Serializer = WholeResponseSerializer.response
    ) async throws -> Serializer.Output {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress, body)
        return try await self.prepare(.delete, path, arguments).value(serializer: serializer)
    }

    /// Sends a DELETE request with a value of any `Encodable` type for its parameters, and decodes the JSON of its response.
    @_disfavoredOverload
    public func delete<Value: Decodable & Sendable>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: some Encodable,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        as type: Value.Type
    ) async throws -> Value {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress)
        return try await self.prepare(.delete, path, arguments).value(as: type)
    }

    /// Sends a DELETE request with a value of any `Encodable` type for its parameters, and converts its response into a
    /// value: the whole response unless a serializer is given.
    @_disfavoredOverload
    @discardableResult
    public func delete<Serializer: ResponseSerializer>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: some Encodable,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        serializer: Serializer = WholeResponseSerializer.response
    ) async throws -> Serializer.Output {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress)
        return try await self.prepare(.delete, path, arguments).value(serializer: serializer)
    }
}
