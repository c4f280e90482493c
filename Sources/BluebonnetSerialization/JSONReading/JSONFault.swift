// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Why parsing failed, and the position in the UTF-8 text.
struct JSONFault: Error {
    enum Kind {
        case unexpected(expected: StaticString)
        case unexpectedEnd(expected: StaticString)
        case controlCharacter
        case invalidEscape
        case loneSurrogate
        case invalidUTF8
        case tooDeep(limit: Int)
        case tooManyElements(limit: Int)
    }

    var kind: Kind
    var position: Int

    /// The public error for this fault.
    func located(
        in bytes: UnsafeRawBufferPointer,
        mark: Int,
        original: UnicodeDetector.Encoding?
    ) -> SerializationError {
        switch self.kind {
        case .tooDeep(let limit):
            return SerializationError(
                .limitExceeded,
                reason: "the JSON document nests deeper than \(limit) levels, the limit of ParsingLimits.depth"
            )
        case .tooManyElements(let limit):
            return SerializationError(
                .limitExceeded,
                reason: "the JSON document holds more than \(limit) values, the limit of ParsingLimits.elementCount"
            )
        default:
            let place = TextPlace(of: self.position, in: bytes, mark: mark, original: original)
            let error = JSONSyntaxError(
                line: place.line,
                column: place.column,
                byteOffset: place.byteOffset,
                reason: self.reason(in: bytes)
            )
            return SerializationError(
                .malformedBody,
                reason: "the body is not JSON: \(error.description)",
                underlying: error
            )
        }
    }

    private func reason(in bytes: UnsafeRawBufferPointer) -> String {
        switch self.kind {
        case .unexpected(let expected): "expected \(expected), found \(self.found(in: bytes))"
        case .unexpectedEnd(let expected): "expected \(expected), found the end"
        case .controlCharacter: "a control character inside a string must be escaped, found \(self.found(in: bytes))"
        case .invalidEscape: "a backslash must be followed by one of \" \\ / b f n r t or u and four hexadecimal digits"
        case .loneSurrogate: "an escaped surrogate without its other half"
        case .invalidUTF8: "bytes that are not UTF-8"
        case .tooDeep, .tooManyElements: "too large"
        }
    }

    private func found(in bytes: UnsafeRawBufferPointer) -> String {
        guard self.position < bytes.count else { return "the end" }
        let byte = bytes[self.position]
        return (0x21...0x7E).contains(byte)
            ? "“\(Unicode.Scalar(byte))”" : "byte 0x\(String(byte, radix: 16, uppercase: true))"
    }
}
