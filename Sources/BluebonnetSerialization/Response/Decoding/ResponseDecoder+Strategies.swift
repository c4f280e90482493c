// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension ResponseDecoder {
    /// How the keys of objects are converted before they are compared with those of a type.
    public enum KeyStrategy: Sendable {
        /// The key is not converted.
        case unchanged
        /// `one_two_three` becomes `oneTwoThree`.
        ///
        /// Capitals are lost when encoding: `myURL` is sent as `my_url`, which is decoded as `myUrl`. Give such a
        /// property a coding key.
        case snakeCase
        /// `one-two-three` becomes `oneTwoThree`; capitals are lost as with ``snakeCase``.
        case kebabCase
        /// `OneTwoThree` becomes `oneTwoThree`.
        case capitalized
        /// A closure converts the key.
        case custom(@Sendable (String) -> String)

        var foundation: JSONDecoder.KeyDecodingStrategy {
            switch self {
            case .unchanged: .useDefaultKeys
            case .snakeCase: .convertFromSnakeCase
            case .kebabCase: Self.converting(Self.joinWords)
            // Characters: a word is capitalised as its language does it.
            case .capitalized: Self.converting { $0.prefix(1).lowercased() + $0.dropFirst() }
            case .custom(let convert): Self.converting(convert)
            }
        }

        private static func converting(
            _ convert: @escaping @Sendable (String) -> String
        ) -> JSONDecoder.KeyDecodingStrategy {
            .custom { path in
                guard let key = path.last, key.intValue == nil else { return path.last ?? NameKey("") }
                return NameKey(convert(key.stringValue))
            }
        }

        private static func joinWords(_ key: String) -> String {
            let words = key.utf8.split(separator: UInt8(ascii: "-")).map { String(decoding: $0, as: UTF8.self) }
            guard let first = words.first else { return key }
            // Characters: a word is capitalised as its language does it.
            return first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }
    }

    /// How a `Date` is decoded.
    public enum DateStrategy: Sendable {
        /// From ISO 8601 text with a time and an offset, with or without a fraction of a second (RFC 3339).
        case iso8601
        /// As `Date` decodes itself: from seconds since 1 January 2001.
        case deferred
        /// From seconds since 1 January 1970, with or without a fraction.
        case secondsSince1970
        /// From milliseconds since 1 January 1970, with or without a fraction.
        case millisecondsSince1970
        /// With a closure; its error ends the decoding.
        case custom(@Sendable (any Decoder) throws -> Date)

        /// Decodes dates from text with a parse strategy.
        ///
        /// - Parameter strategy: The strategy, for example `Date.ISO8601FormatStyle().year().month().day()`.
        /// - Returns: The strategy.
        public static func formatted<Strategy: ParseStrategy & Sendable>(_ strategy: Strategy) -> Self
        where Strategy.ParseInput == String, Strategy.ParseOutput == Date {
            .custom { decoder in try strategy.parse(try decoder.singleValueContainer().decode(String.self)) }
        }

        var foundation: JSONDecoder.DateDecodingStrategy {
            switch self {
            case .iso8601: .custom(Self.iso8601Date)
            case .deferred: .deferredToDate
            case .secondsSince1970: .secondsSince1970
            case .millisecondsSince1970: .millisecondsSince1970
            case .custom(let read): .custom(read)
            }
        }

        @Sendable private static func iso8601Date(_ decoder: any Decoder) throws -> Date {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "Found null.")
                throw DecodingError.valueNotFound(Date.self, context)
            }
            guard let text = try? container.decode(String.self), let date = ISO8601Text.date(of: text) else {
                let reason = "expected a date of ISO 8601 with a time and an offset (see ResponseDecoder.dates)"
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath,
                        debugDescription: reason,
                        underlyingError: SerializationError(.decodingFailed, reason: reason)
                    )
                )
            }
            return date
        }
    }

    /// How `Data` is decoded.
    public enum DataStrategy: Sendable {
        /// From base64 text.
        case base64
        /// As `Data` decodes itself: from an array of numbers.
        case deferred
        /// With a closure; its error ends the decoding.
        case custom(@Sendable (any Decoder) throws -> Data)

        var foundation: JSONDecoder.DataDecodingStrategy {
            switch self {
            case .base64: .base64
            case .deferred: .deferredToData
            case .custom(let read): .custom(read)
            }
        }
    }

    /// How numbers that are not finite are decoded, which JSON cannot represent.
    public enum FloatStrategy: Sendable, Hashable {
        /// Not at all: text in place of a number is an error.
        case finite
        /// From text, for example `"Infinity"`, `"-Infinity"` and `"NaN"`.
        case strings(positiveInfinity: String, negativeInfinity: String, nan: String)

        var foundation: JSONDecoder.NonConformingFloatDecodingStrategy {
            switch self {
            case .finite: .throw
            case .strings(let positive, let negative, let nan):
                .convertFromString(positiveInfinity: positive, negativeInfinity: negative, nan: nan)
            }
        }
    }
}
