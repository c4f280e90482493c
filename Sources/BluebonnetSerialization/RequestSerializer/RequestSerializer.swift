// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Creates a request from a method, a URL and parameters.
public protocol RequestSerializer: Sendable {
    /// How a query is encoded, and how the fields of a multipart form are named; ``QueryStringStyle/default`` unless
    /// implemented.
    var queryStringStyle: QueryStringStyle { get }

    /// Encodes parameters in a request, with this serializer's default header fields.
    ///
    /// A header field of the request is never overwritten.
    ///
    /// - Parameters:
    ///   - request: The request so far.
    ///   - parameters: The parameters, nil for none (which differs from an empty dictionary).
    /// - Returns: The request with query or body and header fields set.
    /// - Throws: ``SerializationError`` if the parameters cannot be encoded.
    func serialize(_ request: Request, parameters: ParameterValue?) throws(SerializationError) -> Request
}

extension RequestSerializer {
    public var queryStringStyle: QueryStringStyle { .default }
}
