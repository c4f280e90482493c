// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The errors that the readers, or the writers, of both formats of property lists have in common.
enum PropertyListFault {
    static func malformed(_ problem: String) -> SerializationError {
        SerializationError(.malformedBody, reason: "The property list is malformed: \(problem).")
    }

    /// Written parameters with a null in them.
    static let null = SerializationError(
        .unencodableValue,
        reason: "A property list has no null; leave the key out."
    )

    static func tooDeep(_ limits: ParsingLimits) -> SerializationError {
        SerializationError(
            .limitExceeded,
            reason:
                "The property list nests deeper than \(limits.effectiveDepth) levels, the limit of ParsingLimits.depth."
        )
    }

    static func tooManyElements(_ limits: ParsingLimits) -> SerializationError {
        SerializationError(
            .limitExceeded,
            reason:
                "The property list stands for more than \(limits.elementCount) values, the limit of ParsingLimits.elementCount."
        )
    }

    static func tooLarge(_ limits: ParsingLimits) -> SerializationError {
        SerializationError(
            .limitExceeded,
            reason:
                "The property list stands for more than \(limits.byteCount) bytes of text and data, the limit of ParsingLimits.byteCount."
        )
    }
}
