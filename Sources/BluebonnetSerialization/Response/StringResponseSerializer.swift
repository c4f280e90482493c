// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Decodes a response to text with its charset.
///
/// The charset is the one set here, otherwise the one of the response, otherwise ``fallback``. Invalid bytes are an
/// error and never replaced. An empty body is the empty string.
public struct StringResponseSerializer: ResponseSerializer, Hashable, Codable {
    /// Which responses are accepted; status 200 to 299 with any content type unless set.
    public var validation: ResponseValidation

    /// The charset, regardless of the response; nil unless set.
    public var charset: Charset?

    /// The charset if the response names none; UTF-8 unless set.
    public var fallback: Charset

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - charset: The charset, regardless of the response.
    ///   - fallback: The charset if the response names none.
    ///   - validation: Which responses are accepted.
    public init(
        charset: Charset? = nil,
        fallback: Charset = .utf8,
        validation: ResponseValidation = ResponseValidation()
    ) {
        self.validation = validation
        self.charset = charset
        self.fallback = fallback
    }

    public var acceptableContentTypes: Set<String>? { self.validation.acceptableContentTypes }

    public func serialize(_ response: Response) throws(SerializationError) -> String {
        try self.validation.validate(response)
        return try response.text(in: self.charset, fallback: self.fallback)
    }
}

extension Response {
    /// Decodes the body to text; an empty body is the empty string.
    ///
    /// - Parameters:
    ///   - charset: The charset, regardless of the response; nil for that of the response.
    ///   - fallback: The charset if the response names none.
    /// - Returns: The text.
    /// - Throws: `unsupportedCharset`, `malformedBody`.
    package func text(in charset: Charset?, fallback: Charset) throws(SerializationError) -> String {
        if self.hasNoContent { return "" }
        let charset = if let charset { charset } else { try self.knownCharset(fallback: fallback) }
        guard charset.isAvailable else {
            throw SerializationError(
                .unsupportedCharset,
                reason: "the C library of this system has no table for \(charset.name); install its character sets",
                response: self
            )
        }
        guard let text = charset.decode(self.body) else {
            throw SerializationError(
                .malformedBody,
                reason:
                    "the body is not valid \(charset.name); if the server names its charset wrongly, set the charset"
            ).about(self)
        }
        return text
    }

    private func knownCharset(fallback: Charset) throws(SerializationError) -> Charset {
        guard let name = self.contentType?.charset else { return fallback }
        if let charset = Charset(named: name) { return charset }
        throw SerializationError(
            .unsupportedCharset,
            reason: "the response names a charset that is not known; known are: "
                + "\(Charset.allCases.map(\.name).joined(separator: ", ")); to read it as one of them, set the charset",
            response: self
        )
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// Decodes the body to text with the response's charset.
    public static var string: StringResponseSerializer { StringResponseSerializer() }
}
