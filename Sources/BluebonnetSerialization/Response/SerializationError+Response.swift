// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension SerializationError {
    /// Decodes the body of the refused response, for servers that describe their errors.
    ///
    /// ```swift
    /// do {
    ///     value = try serializer.serialize(response)
    /// } catch let error where error.code == .unacceptableStatus {
    ///     let problem = try error.decode(APIError.self)
    /// }
    /// ```
    ///
    /// The content type is not checked.
    ///
    /// - Parameters:
    ///   - type: The type of the server's error.
    ///   - decoder: The decoder; nil, the default, for a ``ResponseDecoder`` with its defaults.
    /// - Returns: The server's error.
    /// - Throws: ``SerializationError`` with code `emptyBody` if there is no response or it has no body; otherwise the
    ///   error of the decoder.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: (any DataDecoder)? = nil
    ) throws(SerializationError) -> Value {
        guard let response = self.refusedResponse, !response.body.isEmpty else {
            throw SerializationError(
                .emptyBody,
                reason: "there is no response with a body to decode \(Value.self) from"
            )
        }
        do {
            let decoder = decoder ?? ResponseDecoder()
            return try BodyDecoding.decode(type, from: response.body, with: decoder, limits: ParsingLimits())
        } catch {
            throw error.about(response)
        }
    }

    /// Whether this error or an underlying one has a code.
    ///
    /// - Parameter code: The code to look for.
    /// - Returns: True if it was found.
    public func contains(_ code: Code) -> Bool {
        self.code == code || (self.underlying as? SerializationError)?.contains(code) == true
    }

    /// The response of this error or of the nearest underlying one that has one.
    private var refusedResponse: Response? {
        self.response ?? (self.underlying as? SerializationError)?.refusedResponse
    }

    /// Returns the same error with its response, whose content coding may be why its body could not be read.
    func about(_ response: Response) -> SerializationError {
        var error = self
        error.response = response
        if self.isAboutContent, let remark = response.headers.contentCodingRemark {
            error.reason = "\(remark): \(self.reason)"
        }
        return error
    }

    /// Whether the bytes of a body are not what was expected.
    private var isAboutContent: Bool {
        self.code == .malformedBody || self.code == .decodingFailed || self.code == .unsupportedCharset
    }
}
