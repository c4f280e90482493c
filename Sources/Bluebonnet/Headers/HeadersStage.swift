// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Completes the header fields of a request, so that network interceptors see what is sent.
///
/// The request's own fields are kept. The session's fields are added, with `Accept`, `Accept-Encoding`, and
/// `Authorization` from the user information of the URL. Host and the fields that frame the body depend on the HTTP
/// version, so the transport writes them.
///
/// A class, because its three lists of fields would each be retained with each request.
final class HeadersStage: Interceptor {
    private let headers: HTTPFields
    /// The fields of a request without its own: the usual case, which then costs one reference.
    private let fieldsOfBareRequest: (plain: HTTPFields, coded: HTTPFields)

    init(_ configuration: Session.Configuration) {
        self.headers = configuration.headers
        let plain = Self.filled(HTTPFields(), configuration.headers)
        self.fieldsOfBareRequest = (plain, Self.acceptingCodings(plain))
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        try await next(try self.completed(request, next))
    }

    /// The request with its missing fields added.
    ///
    /// This is a separate function so that its values are not kept while the call is under way.
    @inline(never)
    private func completed(_ request: Request, _ next: Chain) throws -> Request {
        var request = request
        let target = try next.target(of: request)
        let decodes = next.call.handling.decodesContent ?? true
        if request.headers.isEmpty, request.context.isEmpty {
            request.headers = decodes ? self.fieldsOfBareRequest.coded : self.fieldsOfBareRequest.plain
        } else {
            request.headers = Self.filled(request.headers, self.fields(for: request, target.origin))
            if decodes { request.headers = Self.acceptingCodings(request.headers) }
        }
        if request.options.cachePolicy == .reloadIgnoringLocalAndRemoteCacheData { request.bypassCaches() }
        if let userInfo = target.userInfo { try request.authorize(userInfo) }
        return request
    }

    /// The session's fields that a request may carry.
    private func fields(for request: Request, _ origin: Origin) -> HTTPFields {
        // A field that a program added may be a secret: it is sent only to the origin that it was meant for.
        guard !self.headers.isEmpty, let home = request.context[HomeOrigin.self], home.origin != origin else {
            return self.headers
        }
        return HTTPFields(self.headers.filter { HomeOrigin.mayLeave($0.name) })
    }

    /// Header fields, with missing ones added.
    private static func filled(_ headers: HTTPFields, _ defaults: HTTPFields) -> HTTPFields {
        var result = headers
        // Space for the two fields of this stage, so that the list grows once.
        result.reserveCapacity(headers.count + defaults.count + 2)
        for field in defaults where !headers.contains(field.name) { result.append(field) }
        if !result.contains(.accept) { result.append(Self.accept) }
        return result
    }

    /// Requests a compressed response, unless a range is requested: a part of an encoded body could not be decoded (RFC
    /// 9110 section 14.2).
    private static func acceptingCodings(_ headers: HTTPFields) -> HTTPFields {
        guard !headers.contains(.range), !headers.contains(.acceptEncoding) else { return headers }
        var result = headers
        result.append(Self.acceptEncoding)
        return result
    }

    private static let accept = HTTPField(name: .accept, value: "*/*")
    private static let acceptEncoding = HTTPField(
        name: .acceptEncoding,
        value: TransportRequest.decodableCodings.joined(separator: ", ")
    )
}
