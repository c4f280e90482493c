// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

extension HTTPSession {
    /// Sends a POST request and decodes the JSON of its response.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: The parameters, written into the body unless the serializer says otherwise; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which closes the connection.
    public func post<Value: Decodable & Sendable>(
        _ path: String,
        parameters: ParameterValue? = nil,
        headers: HTTPFields = HTTPFields(),
        as type: Value.Type
    ) async throws -> Value {
        let request = try self.request(.post, path, parameters: parameters, headers: headers)
        return try await self.send(request, as: type)
    }

    /// Sends a POST request and turns its response into a value.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: The parameters, written into the body unless the serializer says otherwise; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    ///   - serializer: Validates the response and turns it into a value.
    /// - Returns: The value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which closes the connection.
    public func post<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: ParameterValue? = nil,
        headers: HTTPFields = HTTPFields(),
        serializer: Serializer
    ) async throws -> Serializer.Output {
        let request = try self.request(.post, path, parameters: parameters, headers: headers)
        return try await self.send(request, serializer)
    }

    /// Sends a POST request and returns the whole response, if its status is 200 to 299.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: The parameters, written into the body unless the serializer says otherwise; nil for none.
    ///   - headers: Header fields that replace those of the same name.
    /// - Returns: The response.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which closes the connection.
    @discardableResult
    public func post(
        _ path: String,
        parameters: ParameterValue? = nil,
        headers: HTTPFields = HTTPFields()
    ) async throws -> Response {
        let request = try self.request(.post, path, parameters: parameters, headers: headers)
        return try await self.send(request)
    }

    /// Sends a POST request with a value for its parameters and decodes the JSON of its response.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: A value that encodes as parameters, written into the body unless the serializer says otherwise.
    ///   - headers: Header fields that replace those of the same name.
    ///   - type: The type to decode.
    /// - Returns: The decoded value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which closes the connection.
    public func post<Value: Decodable & Sendable>(
        _ path: String,
        parameters: some Encodable,
        headers: HTTPFields = HTTPFields(),
        as type: Value.Type
    ) async throws -> Value {
        let request = try self.request(.post, path, parameters: self.parameters(parameters), headers: headers)
        return try await self.send(request, as: type)
    }

    /// Sends a POST request with a value for its parameters and turns its response into a value.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: A value that encodes as parameters, written into the body unless the serializer says otherwise.
    ///   - headers: Header fields that replace those of the same name.
    ///   - serializer: Validates the response and turns it into a value.
    /// - Returns: The value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which closes the connection.
    public func post<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: some Encodable,
        headers: HTTPFields = HTTPFields(),
        serializer: Serializer
    ) async throws -> Serializer.Output {
        let request = try self.request(.post, path, parameters: self.parameters(parameters), headers: headers)
        return try await self.send(request, serializer)
    }

    /// Sends a POST request with a value for its parameters and returns the whole response, if its status is 200 to 299.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: A value that encodes as parameters, written into the body unless the serializer says otherwise.
    ///   - headers: Header fields that replace those of the same name.
    /// - Returns: The response.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which closes the connection.
    @discardableResult
    public func post(
        _ path: String,
        parameters: some Encodable,
        headers: HTTPFields = HTTPFields()
    ) async throws -> Response {
        let request = try self.request(.post, path, parameters: self.parameters(parameters), headers: headers)
        return try await self.send(request)
    }
}
