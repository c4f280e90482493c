// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

/// Any bytes are JSON or an error, and what is read comes back the same after it was written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let parser = JSONParser(limits: ParsingLimits(byteCount: 1 << 20, depth: 64, elementCount: 20_000))
    guard let value = try? parser.parse(bytes) else { return 0 }
    for isPretty in [false, true] {
        let written = value.serialized(pretty: isPretty, sortedKeys: isPretty)
        guard let again = try? JSONValue(parsing: written), again == value, again.hashValue == value.hashValue else {
            fatalError("\(value) came back differently")
        }
    }
    _ = value.removingNulls()
    return 0
}
