// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import HTTPTypes

extension HTTPSession {
    /// Sends a PATCH request with a multipart form and decodes the JSON of its response.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: Plain fields that go before the form's parts; nil for none.
    ///   - multipart: The form, streamed part by part.
    ///   - headers: Header fields that replace those of the same name.
    ///   - type: The type to decode.
    ///   - monitor: Watches the bytes of both directions.
    /// - Returns: The decoded value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which closes the connection.
    public func patch<Value: Decodable & Sendable>(
        _ path: String,
        parameters: ParameterValue? = nil,
        multipart: MultipartFormData,
        headers: HTTPFields = HTTPFields(),
        as type: Value.Type,
        monitor: TransferMonitor? = nil
    ) async throws -> Value {
        let request = try self.request(.patch, path, parameters: parameters, multipart: multipart, headers: headers)
        return try await self.send(request, as: type, monitor: monitor)
    }

    /// Sends a PATCH request with a multipart form and turns its response into a value.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: Plain fields that go before the form's parts; nil for none.
    ///   - multipart: The form, streamed part by part.
    ///   - headers: Header fields that replace those of the same name.
    ///   - serializer: Validates the response and turns it into a value.
    ///   - monitor: Watches the bytes of both directions.
    /// - Returns: The value.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which closes the connection.
    public func patch<Serializer: ResponseSerializer>(
        _ path: String,
        parameters: ParameterValue? = nil,
        multipart: MultipartFormData,
        headers: HTTPFields = HTTPFields(),
        serializer: Serializer,
        monitor: TransferMonitor? = nil
    ) async throws -> Serializer.Output {
        let request = try self.request(.patch, path, parameters: parameters, multipart: multipart, headers: headers)
        return try await self.send(request, serializer, monitor: monitor)
    }

    /// Sends a PATCH request with a multipart form and returns the whole response, if its status is 200 to 299.
    ///
    /// - Parameters:
    ///   - path: The path relative to ``baseURL``, or an absolute URL.
    ///   - parameters: Plain fields that go before the form's parts; nil for none.
    ///   - multipart: The form, streamed part by part.
    ///   - headers: Header fields that replace those of the same name.
    ///   - monitor: Watches the bytes of both directions.
    /// - Returns: The response.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled, which closes the connection.
    @discardableResult
    public func patch(
        _ path: String,
        parameters: ParameterValue? = nil,
        multipart: MultipartFormData,
        headers: HTTPFields = HTTPFields(),
        monitor: TransferMonitor? = nil
    ) async throws -> Response {
        let request = try self.request(.patch, path, parameters: parameters, multipart: multipart, headers: headers)
        return try await self.send(request, monitor: monitor)
    }
}
