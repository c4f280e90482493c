// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension ScriptedResponse {
    /// Creates a response with header fields that have no constant, for example `headers: ["X-RateLimit-Limit": "1"]`.
    ///
    /// - Parameters:
    ///   - status: The status; 200 unless given.
    ///   - headers: The header fields in order, a repeated name more than once. A name is a literal, and one that is not
    ///     a token (RFC 9110 section 5.1) is a mistake in the test, and traps. Forbidden bytes of a value become spaces.
    ///   - body: The body; none unless given.
    ///   - effect: The fault of the connection; none unless given.
    @_disfavoredOverload
    public init(
        status: HTTPResponse.Status = .ok,
        headers: KeyValuePairs<StaticString, String>,
        body: Body = .none,
        effect: SocketEffect? = nil
    ) {
        self.init(status: status, headers: HTTPFields(literal: headers), body: body, effect: effect)
    }
}

extension HTTPFields {
    /// Creates fields from literals.
    fileprivate init(literal fields: KeyValuePairs<StaticString, String>) {
        self.init()
        for (name, value) in fields {
            let text = name.description
            // A name with a colon is a pseudo-header field of HTTP/2.
            guard let checked = HTTPField.Name(text), text.utf8.first != UInt8(ascii: ":") else {
                preconditionFailure("“\(name)” is not the name of a header field")
            }
            self.append(HTTPField(name: checked, value: value))
        }
    }

    /// Returns the fields with a Content-Type, unless they have one.
    func ofType(_ type: String) -> HTTPFields {
        guard self[.contentType] == nil else { return self }
        var fields: HTTPFields = [.contentType: type]
        fields.append(contentsOf: self)
        return fields
    }
}
