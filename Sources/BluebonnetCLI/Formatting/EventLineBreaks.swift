// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Replaces the line ends of an event stream, CR LF, CR and LF (WHATWG HTML section 9.2.5), with LF.
///
/// A CR is replaced as soon as it arrives; otherwise its line would be shown only with the next one, and a line break
/// without LF would be shown as a control character.
struct EventLineBreaks {
    /// Whether the previous byte was a CR, so that a LF belongs to the same line end.
    private var endsWithReturn = false

    /// Returns the next bytes, which are in an encoding that is a superset of ASCII, with their line ends replaced.
    mutating func replaced(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte != 0x0A || !self.endsWithReturn { result.append(byte == 0x0D ? 0x0A : byte) }
            self.endsWithReturn = byte == 0x0D
        }
        return result
    }
}
