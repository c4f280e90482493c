// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Validates a response and returns it whole: status, header fields and body.
public struct WholeResponseSerializer: ResponseSerializer, Hashable, Codable {
    /// Which responses are accepted; status 200 to 299 with any content type unless set.
    public var validation: ResponseValidation

    /// Creates a serializer.
    ///
    /// - Parameter validation: Which responses are accepted.
    public init(validation: ResponseValidation = ResponseValidation()) {
        self.validation = validation
    }

    public var acceptableContentTypes: Set<String>? { self.validation.acceptableContentTypes }

    public func serialize(_ response: Response) throws(SerializationError) -> Response {
        try self.validation.validate(response)
        return response
    }

    /// Created once: building the set of status codes takes a considerable part of a small exchange's time.
    fileprivate static let standard = WholeResponseSerializer()
}

extension ResponseSerializer where Self == WholeResponseSerializer {
    /// Returns the response unchanged, with a status of 200 to 299.
    public static var response: WholeResponseSerializer { .standard }
}
