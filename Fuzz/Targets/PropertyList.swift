// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation

/// Any bytes are a property list, XML or binary, or an error; those that are can be compared.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let data = Data(UnsafeBufferPointer(start: start, count: count))
    let parser = PropertyListParser(limits: ParsingLimits(byteCount: 1 << 20, depth: 64, elementCount: 20_000))
    if let value = try? parser.parse(data) { precondition(value.hashValue == value.hashValue) }
    return 0
}
