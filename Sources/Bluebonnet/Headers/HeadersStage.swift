// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Completes the header fields of a request, so that network interceptors see what is sent.
///
/// What the request carries stays. Added are the session's fields, `Accept`, `Accept-Encoding`, and `Authorization` from the user
/// information of the URL. Host and the fields that frame the body belong to the version of HTTP, so the transport writes them.
struct HeadersStage: Interceptor {
    private let headers: HTTPFields

    init(_ configuration: Session.Configuration) {
        self.headers = configuration.headers
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        var request = request
        let target = try next.target(of: request)
        self.fill(&request, target.origin)
        if next.call.handling.decodesContent ?? true { request.acceptCodings() }
        if let userInfo = target.userInfo { try request.authorize(userInfo) }
        return try await next(request, target: target)
    }

    private func fill(_ request: inout Request, _ origin: Origin) {
        if !self.headers.isEmpty {
            // A field that a program added may be a secret: it stays on the origin that it was meant for.
            let isAtHome = request.context[HomeOrigin.self].map { $0.origin == origin } ?? true
            for field in self.headers where isAtHome || HomeOrigin.mayLeave(field.name) {
                if request.headers.contains(field.name) { continue }
                request.headers[fields: field.name] = self.headers[fields: field.name]
            }
        }
        if !request.headers.contains(.accept) { request.headers[.accept] = "*/*" }
    }
}

extension Request {
    private static let acceptEncoding = TransportRequest.decodableCodings.joined(separator: ", ")

    /// Asks for a compressed response, unless the request wants a range: a part of an encoded body could not be decoded (RFC 9110 section 14.2).
    fileprivate mutating func acceptCodings() {
        guard !self.headers.contains(.range), !self.headers.contains(.acceptEncoding) else { return }
        self.headers[.acceptEncoding] = Self.acceptEncoding
    }
}
