// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// What of a request and its response a ``LoggingObserver`` writes beyond method, scheme, host, path, status, counts and times.
///
/// Whatever it allows, the user information of a URL, and values whose names say that they are secret (`Redaction.secrets`), are hidden.
public struct LogVisibility: Sendable, Hashable {
    /// The header fields whose values are written: those that describe content and caching unless changed.
    ///
    /// Every other field is written with the value `REDACTED`.
    public var headers: Set<HTTPField.Name>

    /// Whether the query of a URL is written; false unless changed.
    public var query: Bool

    /// Whether the body of a request is written, in the form of a command; false unless changed.
    ///
    /// Only a body in memory of up to 16 KiB without line breaks, or the path of a file. Secrets are found in forms and in JSON, by the request's
    /// Content-Type: where ``headers`` leaves that field out, the body is left out, too.
    public var bodies: Bool

    /// The header fields that hold no secret by their definition.
    public static let safeHeaders: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .age, .allow, .cacheControl, .connection,
        .contentEncoding,
        .contentLanguage, .contentLength, .contentRange, .contentType, .date, .expires, .ifModifiedSince,
        .ifUnmodifiedSince, .lastModified, .range, .retryAfter, .server, .te, .trailer, .transferEncoding, .upgrade,
        .userAgent,
        .vary, .via,
    ]

    /// Creates a choice.
    ///
    /// - Parameters:
    ///   - headers: The header fields whose values are written; ``safeHeaders`` unless given.
    ///   - query: Whether queries are written.
    ///   - bodies: Whether the bodies of requests are written.
    public init(
        headers: Set<HTTPField.Name> = LogVisibility.safeHeaders,
        query: Bool = false,
        bodies: Bool = false
    ) {
        self.headers = headers
        self.query = query
        self.bodies = bodies
    }
}
