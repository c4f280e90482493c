// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension ParameterEncoder {
    /// How `Data` is encoded.
    public enum DataStrategy: Sendable {
        /// As ``ParameterValue/data(_:)``: base64 in a query and in JSON, bytes in multipart forms and property lists.
        case unchanged
        /// As base64 text in every format.
        case base64
        /// As `Data` encodes itself: an array of numbers.
        case deferred
        /// With a closure; its error ends the encoding.
        case custom(@Sendable (Data) throws -> ParameterValue)
    }

    /// How `Date` is encoded.
    public enum DateStrategy: Sendable {
        /// As ``ParameterValue/date(_:)``: ISO 8601 in UTC in a query and in JSON, a date in property lists.
        case unchanged
        /// As `Date` encodes itself: seconds since 1 January 2001.
        case deferred
        /// As seconds since 1 January 1970, with their fraction.
        case secondsSince1970
        /// As milliseconds since 1 January 1970, with their fraction.
        case millisecondsSince1970
        /// As text in every format: `2001-01-01T00:00:00Z`, with 3, 6 or 9 fractional digits if there is a fraction.
        case iso8601
        /// With a closure; its error ends the encoding.
        case custom(@Sendable (Date) throws -> ParameterValue)

        /// Encodes dates as text with a format style.
        ///
        /// - Parameter style: The style, for example `Date.ISO8601FormatStyle(includingFractionalSeconds: true)`.
        /// - Returns: The strategy.
        public static func formatted<Style: FormatStyle & Sendable>(_ style: Style) -> Self
        where Style.FormatInput == Date, Style.FormatOutput == String {
            .custom { .string(style.format($0)) }
        }
    }

    /// How numbers that are not finite are encoded.
    public enum FloatStrategy: Sendable, Hashable {
        /// As ``ParameterValue/double(_:)``: `inf` and `nan` in a query, an error in JSON.
        case unchanged
        /// As text, for example `"Infinity"`, `"-Infinity"` and `"NaN"`; ``ResponseDecoder/FloatStrategy`` decodes it.
        case strings(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// How the keys of types are converted, each by itself before it is joined with others.
    ///
    /// The keys of a dictionary, of ``Parameters`` and of a ``JSONValue`` are data and never converted, also where a type
    /// encodes one of them in place of itself. ``ResponseDecoder/keys`` does not convert those of a ``JSONValue`` and of a
    /// dictionary with string keys either. Keys of one type that become equal, such as
    /// `aB` and `a_b` in snake case, are an error with code `unencodableValue`, which names them, so that no value is
    /// lost.
    public enum KeyStrategy: Sendable {
        /// The key is not converted.
        case unchanged
        /// `oneTwoThree` becomes `one_two_three`, `myURLProperty` becomes `my_url_property`.
        case snakeCase
        /// `oneTwoThree` becomes `one-two-three`.
        case kebabCase
        /// `oneTwoThree` becomes `OneTwoThree`.
        case capitalized
        /// `oneTwoThree` becomes `ONETWOTHREE`.
        case uppercased
        /// `oneTwoThree` becomes `onetwothree`.
        case lowercased
        /// A closure converts the key.
        case custom(@Sendable (String) -> String)

        /// Converts one key.
        ///
        /// - Parameter key: The key.
        /// - Returns: The converted key.
        public func convert(_ key: String) -> String {
            switch self {
            case .unchanged: key
            case .snakeCase: Self.words(of: key, separator: "_")
            case .kebabCase: Self.words(of: key, separator: "-")
            case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
            case .uppercased: key.uppercased()
            case .lowercased: key.lowercased()
            case .custom(let convert): convert(key)
            }
        }

        /// Splits before every capital letter that follows a small letter or a digit, or that ends a run of capitals
        /// and begins a word.
        private static func words(of key: String, separator: Character) -> String {
            let letters = Array(key)
            var result = ""
            for (index, letter) in letters.enumerated() {
                let previous = index > 0 ? letters[index - 1] : nil
                let next = index + 1 < letters.count ? letters[index + 1] : nil
                if letter.isUppercase, let previous {
                    let beginsAfterSmall = previous.isLowercase || previous.isNumber
                    let endsRun = previous.isUppercase && next?.isLowercase == true
                    if beginsAfterSmall || endsRun { result.append(separator) }
                }
                result += letter.lowercased()
            }
            return result
        }
    }

    func convert(_ number: Double) -> ParameterValue {
        guard !number.isFinite, case .strings(let positive, let negative, let nan) = self.floats else {
            return .double(number)
        }
        return .string(number.isNaN ? nan : number > 0 ? positive : negative)
    }

    /// Converts a `Float` through its shortest text: 0.1 does not become 0.10000000149011612.
    func convert(_ number: Float) -> ParameterValue {
        self.convert(Double(number.description) ?? Double(number))
    }

    func convert(_ data: Data) throws -> ParameterValue {
        switch self.data {
        case .unchanged: .data(data)
        case .base64: .string(data.base64EncodedString())
        case .deferred: .array(data.map { .int(Int64($0)) })
        case .custom(let convert): try convert(data)
        }
    }

    func convert(_ date: Date) throws -> ParameterValue {
        switch self.dates {
        case .unchanged: .date(date)
        case .deferred: .double(date.timeIntervalSinceReferenceDate)
        case .secondsSince1970: .double(date.timeIntervalSince1970)
        case .millisecondsSince1970: .double(date.timeIntervalSince1970 * 1_000)
        case .iso8601: .string(try ISO8601Text.text(of: date))
        case .custom(let convert): try convert(date)
        }
    }
}
