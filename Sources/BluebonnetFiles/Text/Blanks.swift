// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    /// Whether the byte is a space or a tab, the optional white space of fields (OWS, RFC 9110 section 5.6.3).
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without surrounding spaces and tabs.
    @inlinable package var trimmingBlanks: SubSequence {
        guard let first = self.firstIndex(where: { !$0.isBlank }), let last = self.lastIndex(where: { !$0.isBlank })
        else { return self[self.endIndex...] }
        return self[first...last]
    }
}
