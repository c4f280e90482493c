// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

/// The errors shared by the parsers, or by the encoders, of both property list formats.
enum PropertyListFault {
    static func malformed(_ problem: String) -> SerializationError {
        SerializationError(.malformedBody, reason: "the property list is malformed: \(problem)")
    }

    /// A dictionary has two keys that Swift's strings do not tell apart, although their bytes differ.
    static let equivalentKeys = "two keys of a dictionary are the same text in different Unicode forms"

    /// The parameters to encode contain a null.
    static let null = SerializationError(
        .unencodableValue,
        reason: "a property list has no null; leave the key out"
    )

    static func tooDeep(_ limits: ParsingLimits) -> SerializationError {
        SerializationError(
            .limitExceeded,
            reason:
                "the property list nests deeper than \(limits.effectiveDepth) levels, the limit of ParsingLimits.depth"
        )
    }

    static func tooManyElements(_ limits: ParsingLimits) -> SerializationError {
        SerializationError(
            .limitExceeded,
            reason:
                "the property list stands for more than \(limits.elementCount) values, the limit of ParsingLimits.elementCount"
        )
    }

    static func tooLarge(_ limits: ParsingLimits) -> SerializationError {
        SerializationError(
            .limitExceeded,
            reason:
                "the property list stands for more than \(limits.byteCount) bytes of text and data, the limit of ParsingLimits.byteCount"
        )
    }
}

extension [String: PropertyListValue] {
    /// Whether a key is present that is canonically equivalent to this one, but has other bytes.
    func hasOtherForm(of key: String) -> Bool {
        guard let index = self.index(forKey: key) else { return false }
        return !BytewiseString.areEqual(self[index].key, key)
    }
}
