// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

// The names that requests carry, so that `[.accept: "text/html"]` needs no type.
extension HeaderName where Self == HTTPField.Name {
    /// Accept (RFC 9110 section 12.5.1).
    public static var accept: Self { HTTPField.Name.accept }
    /// Accept-Encoding (RFC 9110 section 12.5.3).
    public static var acceptEncoding: Self { HTTPField.Name.acceptEncoding }
    /// Accept-Language (RFC 9110 section 12.5.4).
    public static var acceptLanguage: Self { HTTPField.Name.acceptLanguage }
    /// Access-Control-Request-Headers (WHATWG Fetch).
    public static var accessControlRequestHeaders: Self { HTTPField.Name.accessControlRequestHeaders }
    /// Access-Control-Request-Method (WHATWG Fetch).
    public static var accessControlRequestMethod: Self { HTTPField.Name.accessControlRequestMethod }
    /// Authorization (RFC 9110 section 11.6.2).
    public static var authorization: Self { HTTPField.Name.authorization }
    /// Cache-Control (RFC 9111 section 5.2).
    public static var cacheControl: Self { HTTPField.Name.cacheControl }
    /// Connection (RFC 9110 section 7.6.1).
    public static var connection: Self { HTTPField.Name.connection }
    /// Content-Disposition (RFC 6266).
    public static var contentDisposition: Self { HTTPField.Name.contentDisposition }
    /// Content-Encoding (RFC 9110 section 8.4).
    public static var contentEncoding: Self { HTTPField.Name.contentEncoding }
    /// Content-Language (RFC 9110 section 8.5).
    public static var contentLanguage: Self { HTTPField.Name.contentLanguage }
    /// Content-Location (RFC 9110 section 8.7).
    public static var contentLocation: Self { HTTPField.Name.contentLocation }
    /// Content-Range (RFC 9110 section 14.4).
    public static var contentRange: Self { HTTPField.Name.contentRange }
    /// Content-Type (RFC 9110 section 8.3).
    public static var contentType: Self { HTTPField.Name.contentType }
    /// Cookie (RFC 6265 section 5.4).
    public static var cookie: Self { HTTPField.Name.cookie }
    /// Date (RFC 9110 section 6.6.1).
    public static var date: Self { HTTPField.Name.date }
    /// Early-Data (RFC 8470 section 5.1).
    public static var earlyData: Self { HTTPField.Name.earlyData }
    /// From (RFC 9110 section 10.1.2).
    public static var from: Self { HTTPField.Name.from }
    /// If-Match (RFC 9110 section 13.1.1).
    public static var ifMatch: Self { HTTPField.Name.ifMatch }
    /// If-Modified-Since (RFC 9110 section 13.1.3).
    public static var ifModifiedSince: Self { HTTPField.Name.ifModifiedSince }
    /// If-None-Match (RFC 9110 section 13.1.2).
    public static var ifNoneMatch: Self { HTTPField.Name.ifNoneMatch }
    /// If-Range (RFC 9110 section 13.1.5).
    public static var ifRange: Self { HTTPField.Name.ifRange }
    /// If-Unmodified-Since (RFC 9110 section 13.1.4).
    public static var ifUnmodifiedSince: Self { HTTPField.Name.ifUnmodifiedSince }
    /// Last-Modified (RFC 9110 section 8.8.2).
    public static var lastModified: Self { HTTPField.Name.lastModified }
    /// Max-Forwards (RFC 9110 section 7.6.2).
    public static var maxForwards: Self { HTTPField.Name.maxForwards }
    /// Origin (RFC 6454 section 7).
    public static var origin: Self { HTTPField.Name.origin }
    /// Priority (RFC 9218 section 5).
    public static var priority: Self { HTTPField.Name.priority }
    /// Range (RFC 9110 section 14.2).
    public static var range: Self { HTTPField.Name.range }
    /// Referer (RFC 9110 section 10.1.3).
    public static var referer: Self { HTTPField.Name.referer }
    /// TE (RFC 9110 section 10.1.4).
    public static var te: Self { HTTPField.Name.te }
    /// traceparent (W3C Trace Context).
    public static var traceparent: Self { HTTPField.Name.traceparent }
    /// tracestate (W3C Trace Context).
    public static var tracestate: Self { HTTPField.Name.tracestate }
    /// Upgrade (RFC 9110 section 7.8).
    public static var upgrade: Self { HTTPField.Name.upgrade }
    /// User-Agent (RFC 9110 section 10.1.5).
    public static var userAgent: Self { HTTPField.Name.userAgent }
    /// Via (RFC 9110 section 7.6.3).
    public static var via: Self { HTTPField.Name.via }
}
