// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

extension HTTPSession {
    /// Sends a GET request: `api.get("users", parameters: ["page": page], as: [User].self)`.
    ///
    /// The result is decoded JSON (`as:`), the value of a serializer (`serializer:`), or the whole `Response`:
    ///
    /// ```swift
    /// let users = try await api.get("users", parameters: ["page": page, "name": name], as: [User].self)
    /// let feed = try await api.get("feed", headers: [.accept: "text/html"], serializer: .string)
    /// let response = try await api.get("status", timeout: .seconds(2))
    /// ```
    ///
    /// Parameters are written into the query unless the serializer says otherwise. ``SafeMethod`` lists all arguments.
    public var get: SafeMethod { SafeMethod(client: self, method: .get) }

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

    /// Sends a HEAD request with a value of any `Encodable` type for its parameters, and returns the status and the
    /// header fields of its response.
    @_disfavoredOverload
    public func head(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: (some Encodable)?,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil
    ) async throws -> Response {
        let arguments = CallArguments(query, parameters, headers, options, timeout)
        return try await self.prepare(.head, path, arguments).response()
    }
}

extension HTTPSession {
    /// A safe method (RFC 9110 section 9.2.1) of a client, called like a function: ``HTTPSession/get``.
    ///
    /// A safe request only retrieves, so the compiler warns about a result that is not used. A value that is kept has
    /// the settings that the client had when the value was made.
    public struct SafeMethod: Sendable {
        let client: HTTPSession
        let method: HTTPRequest.Method
    }
}

// Of the two functions for each result, the one that takes any `Encodable` type is disfavored: a literal is then always
// `Parameters`, whatever its elements are, and the compiler names a value that it cannot contain. Only this attribute
// can express that. The parameter is optional in both: if one of them took the argument without a conversion, the
// compiler would prefer that one as soon as another argument has a type of its own, and would not look at the other.
extension HTTPSession.SafeMethod {
    /// Sends the request and decodes the JSON of its response.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``HTTPSession/baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, whatever the serializer; nil for none.
    ///   - parameters: The parameters, written into the query unless the serializer says otherwise; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``HTTPSession/options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - type: The type to decode.
    ///   - progress: Called with the progress of the response's body, on no particular thread.
    /// - Returns: The decoded value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    public func callAsFunction<Value: Decodable & Sendable>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        as type: Value.Type,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress)
        return try await self.client.prepare(self.method, path, arguments).value(as: type)
    }

    /// Sends the request and converts its response into a value: the whole response unless a serializer is given.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``HTTPSession/baseURL``: text, parts that are each escaped, or a URL; see ``RequestPath``.
    ///   - query: Parameters written into the query, whatever the serializer; nil for none.
    ///   - parameters: The parameters, written into the query unless the serializer says otherwise; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - options: Options that override ``HTTPSession/options``; nil for none.
    ///   - timeout: The longest time for the whole call; nil for what the options say.
    ///   - serializer: Validates the response and converts it into a value; the whole response by default.
    ///   - progress: Called with the progress of the response's body, on no particular thread.
    /// - Returns: The value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which ends the exchange.
    public func callAsFunction<Serializer: ResponseSerializer>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: Parameters? = nil,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        serializer: Serializer = WholeResponseSerializer.response,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Serializer.Output {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress)
        return try await self.client.prepare(self.method, path, arguments).value(serializer: serializer)
    }

    /// Sends the request with a value of any `Encodable` type for its parameters, and decodes the JSON of its response.
    @_disfavoredOverload
    public func callAsFunction<Value: Decodable & Sendable>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: (some Encodable)?,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        as type: Value.Type,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Value {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress)
        return try await self.client.prepare(self.method, path, arguments).value(as: type)
    }

    /// Sends the request with a value of any `Encodable` type for its parameters, and converts its response into a
    /// value: the whole response unless a serializer is given.
    @_disfavoredOverload
    public func callAsFunction<Serializer: ResponseSerializer>(
        _ path: any RequestPath,
        query: Parameters? = nil,
        parameters: (some Encodable)?,
        headers: any HeaderFields = HTTPFields(),
        options: RequestOptions? = nil,
        timeout: Duration? = nil,
        serializer: Serializer = WholeResponseSerializer.response,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> Serializer.Output {
        let arguments = CallArguments(query, parameters, headers, options, timeout, progress)
        return try await self.client.prepare(self.method, path, arguments).value(serializer: serializer)
    }
}
