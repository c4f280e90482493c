// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPRequestSerializer: Codable {
    private enum CodingKeys: CodingKey {
        case defaultHeaders, options, methodsEncodingParametersInURL, queryStringStyle, textEncoding
        case addsCharsetToContentType
    }

    /// Decodes an archive, which contains everything except closures.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(defaultHeaders: try container.decode(HTTPFields.self, forKey: .defaultHeaders))
        self.options = try container.decode(RequestOptions.self, forKey: .options)
        let methods = try container.decode([String].self, forKey: .methodsEncodingParametersInURL)
        self.methodsEncodingParametersInURL = Set(
            try methods.map { name in
                guard let method = HTTPRequest.Method(name) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .methodsEncodingParametersInURL,
                        in: container,
                        debugDescription: "A method in the archive is not a token."
                    )
                }
                return method
            }
        )
        self.queryStringStyle = try container.decode(QueryStringStyle.self, forKey: .queryStringStyle)
        self.textEncoding = try container.decode(TextEncoding.self, forKey: .textEncoding)
        self.addsCharsetToContentType = try container.decode(Bool.self, forKey: .addsCharsetToContentType)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.defaultHeaders, forKey: .defaultHeaders)
        try container.encode(self.options, forKey: .options)
        let methods = self.methodsEncodingParametersInURL.map(\.rawValue).sorted()
        try container.encode(methods, forKey: .methodsEncodingParametersInURL)
        try container.encode(self.queryStringStyle, forKey: .queryStringStyle)
        try container.encode(self.textEncoding, forKey: .textEncoding)
        try container.encode(self.addsCharsetToContentType, forKey: .addsCharsetToContentType)
    }
}
