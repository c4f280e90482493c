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
        if response.hasNoContent { return "" }
        let charset = try self.charset(of: response)
        guard charset.isAvailable else {
            throw SerializationError(
                .unsupportedCharset,
                reason: "the C library of this system has no table for \(charset.name); install its character sets",
                response: response
            )
        }
        guard let text = charset.decode(response.body) else {
            throw SerializationError(
                .malformedBody,
                reason:
                    "the body is not valid \(charset.name); if the server names its charset wrongly, set the serializer's charset"
            ).about(response)
        }
        return text
    }

    private func charset(of response: Response) throws(SerializationError) -> Charset {
        if let charset = self.charset { return charset }
        guard let name = response.contentType?.charset else { return self.fallback }
        if let charset = Charset(named: name) { return charset }
        throw SerializationError(
            .unsupportedCharset,
            reason: "the response names a charset that is not known; known are: "
                + "\(Charset.allCases.map(\.name).joined(separator: ", ")); to read it as one of them, set the serializer's charset",
            response: response
        )
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// Decodes the body to text with the response's charset.
    public static var string: StringResponseSerializer { StringResponseSerializer() }
}
