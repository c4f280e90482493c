// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials
public import HTTPTypes

extension Request {
    /// Creates a request from the text of a URL.
    ///
    /// - Parameters:
    ///   - method: The method, GET unless given.
    ///   - text: An absolute http or https URL. Other characters that a URL cannot contain are percent-encoded; valid
    ///     escapes are kept.
    ///   - headers: The header fields.
    ///   - body: The body, none unless given.
    /// - Throws: ``SerializationError/Code/invalidURL`` if the text is not such a URL, or contains a space or a control
    ///   character.
    public init(
        method: HTTPRequest.Method = .get,
        parsing text: String,
        headers: HTTPFields = HTTPFields(),
        body: RequestBody = .none
    ) throws(SerializationError) {
        self.init(method: method, url: try Self.url(parsing: text), headers: headers, body: body)
    }

    /// Creates a request from the text of a method and of a URL.
    ///
    /// - Parameters:
    ///   - methodName: The method, a token; its case is kept (RFC 9110 section 9.1).
    ///   - text: An absolute http or https URL.
    ///   - headers: The header fields.
    ///   - body: The body, none unless given.
    /// - Throws: ``SerializationError/Code/invalidMethod`` if the method is not a token;
    ///   ``SerializationError/Code/invalidURL`` if the text is not such a URL.
    public init(
        methodName: String,
        parsing text: String,
        headers: HTTPFields = HTTPFields(),
        body: RequestBody = .none
    ) throws(SerializationError) {
        guard let method = HTTPRequest.Method(methodName) else {
            throw SerializationError(
                .invalidMethod,
                reason:
                    "the method is empty, or holds a space, a line break or another character that no method can have"
            )
        }
        try self.init(method: method, parsing: text, headers: headers, body: body)
    }

    private static func url(parsing text: String) throws(SerializationError) -> URL {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw SerializationError(
                .invalidURL,
                reason: "the URL holds a space, a line break or another control character"
            )
        }
        guard let url = URL(string: URLText.escaped(text)) else {
            throw SerializationError(.invalidURL, reason: "the text is not a URL")
        }
        guard let scheme = url.scheme?.asciiLowercased, scheme == "http" || scheme == "https" else {
            throw SerializationError(.invalidURL, reason: "the URL does not begin with http:// or https://")
        }
        guard let host = url.host(percentEncoded: false), !host.isEmpty else {
            throw SerializationError(.invalidURL, reason: "the URL names no host")
        }
        return url
    }
}
