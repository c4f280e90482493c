// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import HTTPTypes

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 section 11.3).
public struct HTTPChallenge: Hashable, Sendable {
    /// A parameter of a challenge.
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case: names are case-insensitive.
        public let name: String

        /// The value, without quotation marks and escapes.
        public let value: String

        /// Creates a parameter.
        ///
        /// - Parameters:
        ///   - name: The name; its ASCII letters are converted to lower case.
        ///   - value: The value.
        public init(name: String, value: String) {
            self.name = name.asciiLowercased
            self.value = value
        }
    }

    /// The authentication scheme.
    public let scheme: AuthenticationScheme

    /// The parameters in the order of the field; each name occurs once.
    public let parameters: [Parameter]

    /// The token68 value that some schemes use in place of parameters; nil for most schemes.
    public let token68: String?

    /// Creates a challenge.
    ///
    /// - Parameters:
    ///   - scheme: The authentication scheme.
    ///   - parameters: The parameters.
    ///   - token68: The token68 value in place of parameters.
    public init(scheme: AuthenticationScheme, parameters: [Parameter] = [], token68: String? = nil) {
        self.scheme = scheme
        self.parameters = parameters
        self.token68 = token68
    }

    /// Returns the value of a parameter; nil if the challenge does not have it.
    ///
    /// - Parameter name: The name, in lower case.
    public subscript(name: String) -> String? {
        self.parameters.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The realm: the name of the protection space that the credentials are for (RFC 9110 section 11.5).
    public var realm: String? { self["realm"] }

    /// Parses every challenge of a response.
    ///
    /// A field may hold several challenges, and a response several fields. What follows a syntax error in a field is
    /// ignored, and so is a challenge that repeats a parameter. At most 16 challenges, 32 parameters per challenge and
    /// 16 KiB of field values are read.
    ///
    /// - Parameters:
    ///   - headers: The header fields of the response.
    ///   - name: The field to read: `WWW-Authenticate` unless given.
    /// - Returns: The challenges in the order of the fields.
    /// - Complexity: O(*n*) in the bytes of the fields.
    public static func challenges(
        in headers: HTTPFields,
        _ name: HTTPField.Name = .wwwAuthenticate
    ) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        var left = ChallengeParser.largestByteCount
        for field in headers[fields: name] {
            let bytes = field.withUnsafeBytesOfValue { Array($0) }
            guard bytes.count <= left else { break }
            left -= bytes.count
            var parser = ChallengeParser(bytes)
            parser.read(into: &challenges)
        }
        return challenges
    }
}

/// The case-insensitive name of an authentication scheme (RFC 9110 section 11.1).
public struct AuthenticationScheme: Hashable, Sendable, CustomStringConvertible {
    /// The name in lower case, for example `digest`.
    public let name: String

    /// Creates a scheme.
    ///
    /// - Parameter name: The name; its ASCII letters are converted to lower case.
    public init(_ name: String) {
        self.name = name.asciiLowercased
    }

    /// The name.
    public var description: String { self.name }

    /// User name and password in plain text (RFC 7617).
    public static let basic = Self("basic")

    /// A proof that the client knows the password (RFC 7616).
    public static let digest = Self("digest")

    /// A token (RFC 6750).
    public static let bearer = Self("bearer")
}
