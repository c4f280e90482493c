// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension ResponseDecoder {
    /// What becomes of the keys of objects, before they are compared with those of a type.
    public enum KeyStrategy: Sendable {
        /// The key as it is.
        case unchanged
        /// `one_two_three` becomes `oneTwoThree`.
        ///
        /// Capitals are lost on the way out: `myURL` is sent as `my_url`, which comes back as `myUrl`. Give such a property a coding key.
        case snakeCase
        /// `one-two-three` becomes `oneTwoThree`; what ``snakeCase`` says about capitals goes for it, too.
        case kebabCase
        /// `OneTwoThree` becomes `oneTwoThree`.
        case capitalized
        /// What a closure says.
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

    /// How a `Date` is read.
    public enum DateStrategy: Sendable {
        /// From ISO 8601 text with a time and an offset, with or without a fraction of a second (RFC 3339).
        case iso8601
        /// What `Date` does by itself: seconds since the first of January 2001.
        case deferred
        /// Seconds since the first of January 1970, with or without a fraction.
        case secondsSince1970
        /// Milliseconds since the first of January 1970, with or without a fraction.
        case millisecondsSince1970
        /// What a closure says; its error ends the decoding.
        case custom(@Sendable (any Decoder) throws -> Date)

        /// From text as a parse strategy reads it.
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
            let text = try container.decode(String.self)
            guard let date = ISO8601Text.date(of: text) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "The text is not a date of ISO 8601 with a time and an offset."
                )
            }
            return date
        }
    }

    /// How `Data` is read.
    public enum DataStrategy: Sendable {
        /// From base64 text.
        case base64
        /// What `Data` does by itself: an array of numbers.
        case deferred
        /// What a closure says; its error ends the decoding.
        case custom(@Sendable (any Decoder) throws -> Data)

        var foundation: JSONDecoder.DataDecodingStrategy {
            switch self {
            case .base64: .base64
            case .deferred: .deferredToData
            case .custom(let read): .custom(read)
            }
        }
    }

    /// How numbers that are not finite are read, for which JSON has no text.
    public enum FloatStrategy: Sendable, Hashable {
        /// Not at all: text where a number should be is an error.
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
