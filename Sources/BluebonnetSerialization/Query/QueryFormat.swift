// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How a tree of parameters is converted to the pairs of a query or a form.
///
/// The default is AFNetworking's format: `a[b][]=1&a[b][]=2&c` for `["a": ["b": [1, 2]], "c": nil]`, with the brackets escaped.
public struct QueryFormat: Sendable, Equatable {
    /// How array elements are named: `a[]=1&a[]=2` unless changed.
    public var arrays = Arrays.brackets

    /// How a value in a nested dictionary is named: `a[b]=1` unless changed.
    public var keyPaths = KeyPaths.brackets

    /// How Booleans are encoded: `1` and `0` unless changed.
    public var bools = Bools.numeric

    /// How null is encoded: as the key alone, `a`, unless changed.
    public var nulls = Nulls.key

    /// How a space is encoded: `%20` unless changed.
    public var space = PercentEncoding.SpaceEncoding.percent

    /// The bytes that are not escaped: ``PercentEncoding/AllowedBytes/query`` unless changed.
    ///
    /// A plus sign is escaped in any case if ``space`` is ``PercentEncoding/SpaceEncoding/plus``.
    public var allowedBytes = PercentEncoding.AllowedBytes.query

    /// The maximum nesting of arrays, sets and dictionaries: 128 levels unless changed.
    ///
    /// Deeper parameters are an error. Values above ``ParsingLimits/maximumDepth`` have no effect.
    public var maximumDepth = ParsingLimits.defaultDepth

    /// Creates a format, the default one unless something is given.
    ///
    /// - Parameters:
    ///   - arrays: How array elements are named.
    ///   - keyPaths: How a value in a nested dictionary is named.
    ///   - bools: How Booleans are encoded.
    ///   - nulls: How null is encoded.
    ///   - space: How a space is encoded.
    ///   - allowedBytes: The bytes that are not escaped.
    ///   - maximumDepth: The maximum nesting of arrays, sets and dictionaries, in levels.
    public init(
        arrays: Arrays = .brackets,
        keyPaths: KeyPaths = .brackets,
        bools: Bools = .numeric,
        nulls: Nulls = .key,
        space: PercentEncoding.SpaceEncoding = .percent,
        allowedBytes: PercentEncoding.AllowedBytes = .query,
        maximumDepth: Int = ParsingLimits.defaultDepth
    ) {
        self.arrays = arrays
        self.keyPaths = keyPaths
        self.bools = bools
        self.nulls = nulls
        self.space = space
        self.allowedBytes = allowedBytes
        self.maximumDepth = maximumDepth
    }
}

extension QueryFormat {
    /// How the elements of an array are named.
    public enum Arrays: Sendable, Equatable {
        /// `a[]=1&a[]=2`.
        case brackets
        /// `a=1&a=2`.
        case none
        /// `a[0]=1&a[1]=2`.
        case indexed
        /// Named by a closure; see ``custom(_:)``.
        case rule(CustomRule<@Sendable (_ key: String, _ index: Int) -> String>)

        /// Names each element with a closure.
        ///
        /// - Parameter name: Returns the whole name of an element, given the unescaped name of the array and the index
        ///   of the element.
        /// - Returns: The option.
        public static func custom(_ name: @escaping @Sendable (_ key: String, _ index: Int) -> String) -> Self {
            .rule(CustomRule(name))
        }
    }

    /// How a value in a nested dictionary is named.
    public enum KeyPaths: Sendable, Equatable {
        /// `a[b]=1`.
        case brackets
        /// `a.b=1`.
        case dots
        /// Named by a closure; see ``custom(_:)``.
        case rule(CustomRule<@Sendable (_ key: String) -> String>)

        /// Names each nested value with a closure.
        ///
        /// - Parameter suffix: Returns the suffix of the parent's name, given the unescaped key of the value.
        /// - Returns: The option.
        public static func custom(_ suffix: @escaping @Sendable (_ key: String) -> String) -> Self {
            .rule(CustomRule(suffix))
        }
    }

    /// How Booleans are encoded.
    public enum Bools: String, Sendable, Codable, CaseIterable {
        /// `1` and `0`.
        case numeric
        /// `true` and `false`.
        case literal
    }

    /// How null is encoded.
    public enum Nulls: String, Sendable, Codable, CaseIterable {
        /// `a`: the key alone.
        case key
        /// The pair is omitted.
        case dropKey
        /// `a=`: the key and an empty value.
        case dropValue
        /// `a=null`.
        case null
    }
}

extension QueryFormat: Codable {
    private enum CodingKeys: CodingKey {
        case arrays, keyPaths, bools, nulls, space, allowedBytes, maximumDepth
    }

    private enum ArraysName: String, Codable {
        case brackets, none, indexed
    }

    private enum KeyPathsName: String, Codable {
        case brackets, dots
    }

    /// Decodes an archived format; closures are not archived and become brackets.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decodeIfPresent(ArraysName.self, forKey: .arrays) ?? .brackets {
        case .brackets: self.arrays = .brackets
        case .none: self.arrays = .none
        case .indexed: self.arrays = .indexed
        }
        switch try container.decodeIfPresent(KeyPathsName.self, forKey: .keyPaths) ?? .brackets {
        case .brackets: self.keyPaths = .brackets
        case .dots: self.keyPaths = .dots
        }
        self.bools = try container.decode(Bools.self, forKey: .bools)
        self.nulls = try container.decode(Nulls.self, forKey: .nulls)
        self.space = try container.decode(PercentEncoding.SpaceEncoding.self, forKey: .space)
        self.allowedBytes = try container.decode(PercentEncoding.AllowedBytes.self, forKey: .allowedBytes)
        self.maximumDepth = try container.decode(Int.self, forKey: .maximumDepth)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let arrays: ArraysName? =
            switch self.arrays {
            case .brackets: .brackets
            case .none: ArraysName.none
            case .indexed: .indexed
            case .rule: nil
            }
        let keyPaths: KeyPathsName? =
            switch self.keyPaths {
            case .brackets: .brackets
            case .dots: .dots
            case .rule: nil
            }
        try container.encodeIfPresent(arrays, forKey: .arrays)
        try container.encodeIfPresent(keyPaths, forKey: .keyPaths)
        try container.encode(self.bools, forKey: .bools)
        try container.encode(self.nulls, forKey: .nulls)
        try container.encode(self.space, forKey: .space)
        try container.encode(self.allowedBytes, forKey: .allowedBytes)
        try container.encode(self.maximumDepth, forKey: .maximumDepth)
    }
}
