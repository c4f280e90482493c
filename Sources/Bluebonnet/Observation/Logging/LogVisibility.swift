// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The parts of a request and its response that a ``LoggingObserver`` writes besides method, scheme, host, path,
/// status, counts and times.
///
/// User information of a URL, and values whose names suggest a secret (`Redaction.secrets`), are always hidden.
public struct LogVisibility: Sendable, Hashable {
    /// The header fields whose values are written: those that describe content and caching unless changed.
    ///
    /// Every other field is written with the value `REDACTED`.
    public var headers: Set<HTTPField.Name>

    /// Whether the query of a URL is written; false unless changed.
    public var showsQuery: Bool

    /// Whether the body of a request is written, as part of a command; false unless changed.
    ///
    /// This applies to a body in memory of up to 16 KiB without line breaks, and to the path of a file. Secrets are
    /// found in forms and in JSON, by the request's Content-Type: if ``headers`` omits that field, the body is omitted,
    /// too.
    public var showsBodies: Bool

    /// The header fields that by definition contain no secret.
    public static let safeHeaders: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .acceptRanges, .age, .allow, .cacheControl, .connection,
        .contentEncoding,
        .contentLanguage, .contentLength, .contentRange, .contentType, .date, .expires, .ifModifiedSince,
        .ifUnmodifiedSince, .lastModified, .range, .retryAfter, .server, .te, .trailer, .transferEncoding, .upgrade,
        .userAgent,
        .vary, .via,
    ]

    /// Creates a visibility.
    ///
    /// - Parameters:
    ///   - headers: The header fields whose values are written; ``safeHeaders`` by default.
    ///   - showsQuery: Whether queries are written.
    ///   - showsBodies: Whether the bodies of requests are written.
    public init(
        headers: Set<HTTPField.Name> = LogVisibility.safeHeaders,
        showsQuery: Bool = false,
        showsBodies: Bool = false
    ) {
        self.headers = headers
        self.showsQuery = showsQuery
        self.showsBodies = showsBodies
    }
}
