// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The registered reason phrases of status codes, for messages.
///
/// The phrase that a server sent is never used.
enum StatusPhrase {
    private static let registered: [HTTPResponse.Status] = [
        .continue, .switchingProtocols, .earlyHints,
        .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent, .resetContent, .partialContent,
        .multipleChoices, .movedPermanently, .found, .seeOther, .notModified, .temporaryRedirect, .permanentRedirect,
        .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .notAcceptable,
        .proxyAuthenticationRequired,
        .requestTimeout, .conflict, .gone, .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong,
        .unsupportedMediaType, .rangeNotSatisfiable, .expectationFailed, .misdirectedRequest, .unprocessableContent,
        .tooEarly, .upgradeRequired, .preconditionRequired, .tooManyRequests, .requestHeaderFieldsTooLarge,
        .unavailableForLegalReasons, .internalServerError, .notImplemented, .badGateway, .serviceUnavailable,
        .gatewayTimeout, .httpVersionNotSupported, .networkAuthenticationRequired,
    ]

    private static let phrases = Dictionary(uniqueKeysWithValues: Self.registered.map { ($0.code, $0.reasonPhrase) })

    /// Returns the code with its phrase, for example `404 (Not Found)`; the code alone if it is not registered.
    static func describe(_ code: Int) -> String { Self.phrases[code].map { "\(code) (\($0))" } ?? "\(code)" }
}
