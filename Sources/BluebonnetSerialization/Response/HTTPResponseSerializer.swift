// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Validates a response and returns its body unchanged.
public struct HTTPResponseSerializer: ResponseSerializer, Hashable, Codable {
    /// Which responses are accepted; status 200 to 299 with any content type unless set.
    public var validation: ResponseValidation

    /// Creates a serializer.
    ///
    /// - Parameter validation: Which responses are accepted.
    public init(validation: ResponseValidation = ResponseValidation()) {
        self.validation = validation
    }

    public var acceptableContentTypes: Set<String>? { self.validation.acceptableContentTypes }

    public func serialize(_ response: Response) throws(SerializationError) -> Data {
        try self.validation.validate(response)
        return response.body
    }
}

extension ResponseSerializer where Self == HTTPResponseSerializer {
    /// Returns the body as bytes, of any content type, with a status of 200 to 299.
    public static var data: HTTPResponseSerializer { HTTPResponseSerializer() }
}
