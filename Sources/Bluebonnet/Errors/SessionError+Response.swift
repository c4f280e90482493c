// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import FoundationEssentials
public import HTTPTypes

extension SessionError {
    /// The status of the response, if one had arrived.
    public var status: HTTPResponse.Status? { self.response?.status }

    /// Decodes the body of the response, which often contains the server's reason.
    ///
    /// Neither the status nor the content type is checked.
    ///
    /// ```swift
    /// do {
    ///     user = try await api.post("users", parameters: NewUser(name: "Ada"), as: User.self)
    /// } catch let error as SessionError where error.status == .unprocessableContent {
    ///     print(try error.decode(APIError.self).message)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder; nil, the default, for that of the ``HTTPSession`` whose call failed, and for one with its defaults elsewhere.
    /// - Returns: The value.
    /// - Throws: ``SessionError/Code/serializationFailed`` if there is no response, or if its body cannot be decoded.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: (any DataDecoder)? = nil
    ) throws(SessionError) -> Value {
        guard let response else {
            throw SessionError(.serializationFailed, reason: "there is no response whose body could be decoded")
        }
        do {
            return try response.decoded(type, with: decoder ?? self.decoder ?? ResponseDecoder())
        } catch {
            throw SessionError(error, request: nil, isRequestSent: self.isRequestSent)
        }
    }
}

extension SessionError: LocalizedError {
    /// The text of ``description``.
    public var errorDescription: String? { self.description }
}
