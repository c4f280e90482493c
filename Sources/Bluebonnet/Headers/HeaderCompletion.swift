// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Completes the header fields of requests.
///
/// The request's own fields are kept. The session's fields are added, with `Accept`, `Accept-Encoding`, and
/// `Authorization` from the user information of the URL. Host and the fields that frame the body depend on the HTTP
/// version, so the transport writes them.
///
/// A class, because its lists of fields would each be retained with each request.
final class HeaderCompletion: Sendable {
    private let headers: HTTPFields
    /// Those that may be sent to any origin.
    private let publicHeaders: HTTPFields
    /// The fields of a request without its own: the usual case, which then costs one reference.
    private let fieldsOfBareRequest: (plain: HTTPFields, coded: HTTPFields)

    init(_ configuration: Session.Configuration) {
        self.headers = configuration.headers
        self.publicHeaders = HTTPFields(configuration.headers.filter { HomeOrigin.mayLeave($0.name) })
        let plain = Self.filled(HTTPFields(), configuration.headers)
        self.fieldsOfBareRequest = (plain, Self.acceptingCodings(plain))
    }

    /// The header fields that a request is sent with.
    ///
    /// - Parameters:
    ///   - request: The request, with its own fields.
    ///   - target: Its URL, parsed.
    ///   - call: The call it belongs to.
    /// - Returns: All fields but those that the transport writes.
    /// - Throws: `SessionError` with `invalidURL` if the URL's user information cannot be sent.
    func fields(of request: Request, _ target: RequestTarget, _ call: Call) throws(SessionError) -> HTTPFields {
        var fields: HTTPFields
        let decodes = call.handling.decodesContent(of: request)
        // A field that a program added may be a secret: it is sent only to the origin that it was meant for.
        let isAway =
            !self.headers.isEmpty && HomeOrigin.isLeft(by: request, to: target.origin, in: call.environment.home)
        if request.headers.isEmpty, request.context.isEmpty, !isAway {
            fields = decodes ? self.fieldsOfBareRequest.coded : self.fieldsOfBareRequest.plain
        } else {
            let defaults = isAway ? self.publicHeaders : self.sessionFields(for: request, target.origin)
            fields = Self.filled(request.headers, defaults)
            if decodes { fields = Self.acceptingCodings(fields) }
        }
        if request.options.cachePolicy == .reloadIgnoringLocalAndRemoteCacheData { fields.bypassCaches() }
        if let userInfo = target.userInfo, !UserInfoIsWithheld.isSet(on: request) { try fields.authorize(userInfo) }
        return fields
    }

    /// The session's fields that a request may carry at its home.
    private func sessionFields(for request: Request, _ origin: Origin) -> HTTPFields {
        guard !self.headers.isEmpty else { return self.headers }
        guard let lost = LeftOrigins.loss(of: request, at: origin)?.fields else { return self.headers }
        return HTTPFields(self.headers.filter { !lost.contains($0.name) })
    }

    /// Header fields, with missing ones added.
    private static func filled(_ headers: HTTPFields, _ defaults: HTTPFields) -> HTTPFields {
        var result = headers
        // Space for the two fields that this type adds, so that the list grows once.
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
