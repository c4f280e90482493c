// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

// What all verbs come down to.
extension HTTPSession {
    func send<Serializer: ResponseSerializer>(
        _ request: Request,
        _ serializer: Serializer,
        monitor: TransferMonitor? = nil
    ) async throws -> Serializer.Output {
        try await self.session.send(request, serializer: serializer, monitor: monitor)
    }

    func send<Value: Decodable & Sendable>(
        _ request: Request,
        as type: Value.Type,
        monitor: TransferMonitor? = nil
    ) async throws -> Value {
        let serializer = DecodableResponseSerializer(type, decoder: self.decoder, validation: Self.acceptableJSON)
        return try await self.session.send(request, serializer: serializer, monitor: monitor)
    }

    /// Any response with an acceptable status, as it is.
    func send(_ request: Request, monitor: TransferMonitor? = nil) async throws -> Response {
        let response = try await self.session.response(for: request, monitor: monitor)
        _ = try await Session.value(of: response, serializer: Self.anySuccess, request: request)
        return response
    }

    // Made once: the sets of status codes and types in them cost more than a small exchange's share of anything else.
    private static let acceptableJSON = ResponseValidation(contentTypes: JSONResponseSerializer.defaultContentTypes)
    private static let anySuccess = HTTPResponseSerializer()

    func parameters(_ value: some Encodable) throws(SessionError) -> ParameterValue {
        if let value = value as? ParameterValue { return value }
        do {
            return try ParameterValue(encoding: value)
        } catch {
            throw SessionError(error, request: nil)
        }
    }
}
