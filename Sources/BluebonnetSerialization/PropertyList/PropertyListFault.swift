// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The errors shared by the parsers, or by the encoders, of both property list formats.
enum PropertyListFault {
    static func malformed(_ problem: String) -> SerializationError {
        SerializationError(.malformedBody, reason: "the property list is malformed: \(problem)")
    }

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
