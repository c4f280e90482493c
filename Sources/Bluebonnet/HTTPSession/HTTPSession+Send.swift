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
        try await self.session.send(request, serializer: DecodableResponseSerializer(type), monitor: monitor)
    }

    /// Any reply with an acceptable status, as it is.
    func send(_ request: Request, monitor: TransferMonitor? = nil) async throws -> Response {
        let response = try await self.session.response(for: request, monitor: monitor)
        _ = try await Session.value(of: response, serializer: HTTPResponseSerializer(), request: request)
        return response
    }

    func parameters(_ value: some Encodable) throws(SessionError) -> ParameterValue {
        if let value = value as? ParameterValue { return value }
        do {
            return try ParameterValue(encoding: value)
        } catch {
            throw SessionError(error, request: nil)
        }
    }
}
