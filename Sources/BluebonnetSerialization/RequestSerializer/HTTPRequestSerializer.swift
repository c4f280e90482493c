// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import HTTPTypes

/// Encodes parameters as a query or as a form body (`application/x-www-form-urlencoded`), and sets default header
/// fields.
///
/// - A header field of the request takes precedence over a default one, and a default Content-Type over the automatic
///   one.
/// - The methods in ``methodsEncodingParametersInURL`` encode parameters in the URL, after its query and before its
///   fragment. Without parameters, or with an empty query, the URL is unchanged.
/// - All other methods use a form body. Without parameters, the body and the Content-Type are unchanged. An empty
///   dictionary is an empty form.
/// - Only those ``options`` that are set are copied, and only if the request does not set them.
public struct HTTPRequestSerializer: RequestSerializer, Equatable, CustomStringConvertible,
    CustomDebugStringConvertible, CustomReflectable
{
    /// Header fields for every request that does not have them.
    ///
    /// Accept-Language and User-Agent unless changed; see ``standardHeaders(environment:)``.
    public var defaultHeaders: HTTPFields

    /// The options in which the requests differ from their session.
    public var options = RequestOptions()

    /// The methods that encode parameters in the URL: GET, HEAD and DELETE unless changed; case-insensitive.
    public var methodsEncodingParametersInURL: Set<HTTPRequest.Method> = [.get, .head, .delete]

    /// How parameters are encoded: in AFNetworking's format unless changed.
    public var queryStringStyle = QueryStringStyle.default

    /// The encoding of form bodies and of the parameters in a multipart form: UTF-8 unless changed.
    ///
    /// Percent-escapes are always those of UTF-8 bytes.
    public var textEncoding = TextEncoding.utf8

    /// Whether the automatic Content-Type of a form body names the charset: no unless changed, because some servers refuse it.
    public var addsCharsetToContentType = false

    /// Creates a serializer with the standard header fields.
    public init() {
        self.init(defaultHeaders: Self.processHeaders)
    }

    /// Creates a serializer.
    ///
    /// - Parameter defaultHeaders: Header fields for every request that does not have them.
    public init(defaultHeaders: HTTPFields) {
        self.defaultHeaders = defaultHeaders
    }

    public func serialize(_ request: Request, parameters: ParameterValue?) throws(SerializationError) -> Request {
        var result = self.applyDefaults(to: request)
        var query: String?
        if let parameters { query = try self.queryStringStyle.encode(parameters, for: result) }
        if self.encodesParametersInURL(request.method) {
            if let query { result.url = try QueryString.append(query, to: request.url) }
            return result
        }
        guard parameters != nil else { return result }
        result.body = .data(try self.textEncoding.encode(query ?? ""))
        let charset = self.addsCharsetToContentType ? "; charset=\(self.textEncoding.charset)" : ""
        result.setContentTypeIfAbsent("application/x-www-form-urlencoded\(charset)")
        return result
    }

    /// Whether a method encodes parameters in the URL.
    ///
    /// - Parameter method: The method.
    /// - Returns: Whether it, or the same letters in another case, is in ``methodsEncodingParametersInURL``.
    public func encodesParametersInURL(_ method: HTTPRequest.Method) -> Bool {
        if self.methodsEncodingParametersInURL.contains(method) { return true }
        let name = method.rawValue.asciiUppercased
        return self.methodsEncodingParametersInURL.contains { $0.rawValue.asciiUppercased == name }
    }

    /// Sets the default header fields and options that a request does not set.
    func applyDefaults(to request: Request) -> Request {
        var result = request
        result.options.fill(from: self.options)
        guard !request.headers.isEmpty else {
            // The usual case, which costs one reference.
            result.headers = self.defaultHeaders
            return result
        }
        for field in self.defaultHeaders where !request.headers.contains(field.name) && result.headers.count < 60_000 {
            result.headers.append(field)
        }
        return result
    }
}

extension Request {
    mutating func setContentTypeIfAbsent(_ contentType: String) {
        if !self.headers.contains(.contentType) { self.headers[.contentType] = contentType }
    }
}

extension RequestOptions {
    /// Sets every option that is nil here to that of other options.
    package mutating func fill(from other: RequestOptions) {
        self.timeoutInterval = self.timeoutInterval ?? other.timeoutInterval
        self.totalTimeout = self.totalTimeout ?? other.totalTimeout
        self.cachePolicy = self.cachePolicy ?? other.cachePolicy
        self.allowsCellularAccess = self.allowsCellularAccess ?? other.allowsCellularAccess
        self.handlesCookies = self.handlesCookies ?? other.handlesCookies
        self.usesPipelining = self.usesPipelining ?? other.usesPipelining
        self.decodesContent = self.decodesContent ?? other.decodesContent
        self.networkServiceType = self.networkServiceType ?? other.networkServiceType
    }
}

extension RequestSerializer where Self == HTTPRequestSerializer {
    /// Encodes queries and form bodies, with the standard header fields.
    public static var http: Self { Self() }
}
