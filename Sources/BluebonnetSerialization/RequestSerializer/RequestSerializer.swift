// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Turns a method, a URL and parameters into a request.
public protocol RequestSerializer: Sendable {
    /// How a query is written, and how the fields of a multipart form are named; ``QueryStringStyle/default`` unless implemented.
    var queryStringStyle: QueryStringStyle { get }

    /// Writes parameters into a request, with this serializer's default header fields.
    ///
    /// A header field that the request already carries is never overwritten.
    ///
    /// - Parameters:
    ///   - request: The request so far.
    ///   - parameters: The parameters, nil for none (not the same as an empty dictionary).
    /// - Returns: The request with query or body and header fields set.
    /// - Throws: ``SerializationError`` if the parameters cannot be written.
    func serialize(_ request: Request, parameters: ParameterValue?) throws(SerializationError) -> Request
}

extension RequestSerializer {
    public var queryStringStyle: QueryStringStyle { .default }
}
