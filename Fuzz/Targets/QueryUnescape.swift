// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

/// Checks that any text can be unescaped or is an error, and that escaped text is unchanged when it is unescaped.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    _ = try? PercentEncoding.unescape(text)
    _ = try? PercentEncoding.unescape(text, plusIsSpace: true)
    for space in PercentEncoding.SpaceEncoding.allCases {
        let escaped = PercentEncoding.escape(text, space: space)
        guard escaped.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let again = try? PercentEncoding.unescape(escaped, plusIsSpace: space == .plus),
            again.utf8.elementsEqual(text.utf8)
        else { fatalError("\(escaped) does not lead back") }
    }
    return 0
}
