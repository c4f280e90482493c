// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import HTTPTypes

extension HTTPRequestSerializer {
    /// The value of a default header field.
    ///
    /// - Parameter name: Its name, which is case-insensitive.
    /// - Returns: The value; nil if there is none or if the name is not a token.
    public func value(forHeader name: String) -> String? {
        HTTPField.Name(name).flatMap { self.defaultHeaders[$0] }
    }

    /// Sets or removes a default header field.
    ///
    /// - Parameters:
    ///   - value: The value; nil removes the field.
    ///   - name: The name, which is case-insensitive.
    /// - Throws: ``SerializationError/Code/invalidHeader`` if the name is not a token, or if the value contains CR, LF,
    ///   NUL or another byte that RFC 9110 section 5.5 forbids.
    public mutating func setValue(_ value: String?, forHeader name: String) throws(SerializationError) {
        guard let fieldName = HTTPField.Name(name), !name.utf8.contains(UInt8(ascii: ":")) else {
            throw SerializationError(.invalidHeader, reason: "the header name is not a token")
        }
        guard let value else {
            self.defaultHeaders[fieldName] = nil
            return
        }
        guard HTTPField.isValidValue(value) else {
            throw SerializationError(
                .invalidHeader,
                reason: "the value of the header “\(name)” holds a line break or another forbidden character"
            )
        }
        self.defaultHeaders[fieldName] = value
    }

    /// Sets Basic credentials as a default header field (RFC 7617).
    ///
    /// - Parameters:
    ///   - username: The user's name, without a colon.
    ///   - password: The password.
    /// - Throws: ``SerializationError/Code/invalidHeader`` if the user's name contains a colon, or if either contains a
    ///   control character.
    public mutating func setAuthorization(username: String, password: String) throws(SerializationError) {
        // RFC 7617 section 2: the first colon ends the user's name.
        guard !username.utf8.contains(UInt8(ascii: ":")) else {
            throw SerializationError(
                .invalidHeader,
                reason: "a user name for Basic authorization cannot have a colon in it"
            )
        }
        guard (username + password).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw SerializationError(
                .invalidHeader,
                reason: "a user name or password for Basic authorization cannot have a control character in it"
            )
        }
        let credentials = Data("\(username):\(password)".utf8).base64EncodedString()
        self.defaultHeaders[.authorization] = "Basic \(credentials)"
    }

    /// Removes the credentials.
    public mutating func clearAuthorization() {
        self.defaultHeaders[.authorization] = nil
    }

    /// Returns the default header fields of every serializer: Accept-Language and User-Agent.
    ///
    /// - Parameter environment: The environment variables to read the user's languages from.
    /// - Returns: The fields; without Accept-Language if the environment names no language.
    public static func standardHeaders(environment: [String: String]) -> HTTPFields {
        var headers = HTTPFields()
        headers[.acceptLanguage] = AcceptLanguage.value(environment: environment)
        headers[.userAgent] = UserAgent.value()
        return headers
    }

    /// The standard header fields of this process, computed once.
    package static let processHeaders = Self.standardHeaders(environment: ProcessInfo.processInfo.environment)
}
